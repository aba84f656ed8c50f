// Observes a simulated cluster while a scenario runs: whether it has settled, what it contains, and whether an
// invariant was broken on the way. Used on the thread that owns the simulation; observe() is called after every switch
// of actors.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "awssim/fake_aws.h"
#include "cli/scenario/scenario.h"
#include "kubesim/api.h"

namespace tenon::cli {

class Observer {
 public:
  Observer(kubesim::Api& api, awssim::FakeAws& aws, runtime::Runtime& runtime);

  // Fast if nothing happened.
  void observe();
  // Discards what was observed in the previous step.
  void begin_step();
  Instant last_change() const { return last_change_; }

  struct SeenNode {
    ExpectedNode node;
    std::string name, provider_id;
    bool ready = false, initialized = false, deleting = false;
  };
  std::vector<SeenNode> nodes() const;  // by type, then name
  int pending_pods() const;
  // Returns whether the step brought an event: "Reason", or "Reason: words of its message".
  bool told(std::string_view event) const;
  // Returns e.g. "8" for "cpu" in the status of NodePool default; empty if it is missing there.
  std::string pool_resource(std::string_view name) const;
  // Returns the shortest time that a node was without pods when its deletion began; std::nullopt if there was none.
  std::optional<Duration> shortest_empty() const { return shortest_empty_; }
  // "node a was drained before its replacement was initialized", "instance i ended with 3 pods on it", …
  const std::vector<std::string>& broken() const { return broken_; }
  int most_disrupted() const { return most_disrupted_; }
  int nodes_at_start() const { return static_cast<int>(nodes_at_start_.size()); }  // of the step
  int nodes_from_before() const;                                                   // of those, still there
  // Reasons of NodeClaims' condition Drifted that were observed in this step.
  const std::set<std::string>& drift_reasons() const { return drift_reasons_; }

 private:
  void observe_nodes();
  void observe_pods();
  void observe_instances();
  bool replacement_ready() const;
  void note_empty_nodes();
  void note_change() { last_change_ = runtime_.now(); }

  kubesim::Api& api_;
  awssim::FakeAws& aws_;
  runtime::Runtime& runtime_;
  std::unique_ptr<kubesim::Watch> pods_, nodes_, claims_, event_watch_;
  std::map<std::string, kubesim::Object> live_pods_, live_nodes_, live_claims_;  // by namespace/name
  std::map<std::string, std::string> instance_states_;
  std::set<std::string> nodes_at_start_, claims_at_start_;  // of the step
  std::set<std::string> going_;                             // nodes that are being deleted
  std::set<std::pair<std::string, std::string>> events_;    // reason and message
  std::set<std::string> drift_reasons_;
  std::map<std::string, Instant> empty_since_;  // by node
  std::optional<Duration> shortest_empty_;
  std::vector<std::string> broken_;
  uint64_t aws_seen_ = 0;
  int most_disrupted_ = 0;
  Instant last_change_;
};

}  // namespace tenon::cli
