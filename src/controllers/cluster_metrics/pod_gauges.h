// The gauge karpenter_pods_state: 1 for each pod with Karpenter's labels at full detail; at standard detail the number
// of pods with equal phase on one group of nodes (groups.h).
// parity: karpenter pkg/controllers/metrics/pod/controller.go
// Thread rule: one caller at a time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "controllers/cluster_metrics/groups.h"
#include "metrics/registry.h"
#include "model/pod.h"

namespace tenon::controllers::cluster_metrics {

class PodGauges {
 public:
  explicit PodGauges(metrics::Registry& registry);
  void show(const std::vector<std::shared_ptr<const model::Pod>>& pods, const std::vector<scheduling::NodeView>& nodes,
            const Groups& groups);
  void hide() { state_.remove_matching({}); }

 private:
  using NodeOf = std::function<const scheduling::NodeView*(const model::Pod&)>;
  void show_sums(const std::vector<std::shared_ptr<const model::Pod>>& pods, const NodeOf& node_of,
                 const Groups& groups);

  const metrics::Detail detail_;
  metrics::Gauge& state_;
};

}  // namespace tenon::controllers::cluster_metrics
