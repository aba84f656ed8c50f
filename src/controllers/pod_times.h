// PodTimes measures how long pods wait for a decision, for a node, and until they are ready. It measures only pods that
// this process has observed while they waited, so that a restart does not measure old pods again. It holds an entry for
// each pod that waits, and none for others.
// parity: karpenter pkg/controllers/metrics/pod/controller.go, pkg/controllers/state/cluster.go (pod times)
// Thread rule: any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "base/instant.h"
#include "metrics/registry.h"
#include "model/pod.h"

namespace tenon::controllers {

class PodTimes {
 public:
  explicit PodTimes(metrics::Registry& registry);

  // A pod appeared or changed; null: it no longer exists.
  void changed(const std::string& key, const model::Pod* pod, Instant now);
  // The provisioner decided about this pod; `placed`: it fits on a node that exists or is launched.
  void decided(const std::string& key, bool placed, Instant now);
  // Sets the gauges of the pods that wait, and removes them; see metrics::Collector.
  void show(Instant now);
  void hide();
  size_t waiting() const;

 private:
  struct Entry {
    Instant created{};
    bool bound = false;
    std::optional<Instant> acknowledged;  // first observed as provisionable
    std::optional<Instant> decided;       // first decision
    std::optional<Instant> placed;        // first decision that found a place
  };
  void bound(Entry& entry, Instant at);
  void started(const Entry& entry, Instant at);

  metrics::Histogram &decision_, &bound_, &provisioning_bound_, &provisioning_startup_;
  metrics::Summary &startup_, &startup_v027_;
  metrics::Gauge &unstarted_, &unbound_, &provisioning_unstarted_, &provisioning_unbound_, &undecided_;
  mutable std::mutex mutex_;
  std::map<std::string, Entry> waiting_;  // by namespace/name
};

}  // namespace tenon::controllers
