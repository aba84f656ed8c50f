// The gauges of nodes (karpenter_nodes_*) and of the whole cluster. At full detail each node has its own series, with
// Karpenter's labels; at standard detail there is one for each group (groups.h), for cpu, memory and pods.
// parity: karpenter pkg/controllers/metrics/node/controller.go
// Thread rule: one caller at a time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "controllers/cluster_metrics/groups.h"
#include "metrics/registry.h"
#include "scheduling/input/snapshot.h"

namespace tenon::controllers::cluster_metrics {

class NodeGauges {
 public:
  explicit NodeGauges(metrics::Registry& registry);
  void show(const std::vector<scheduling::NodeView>& nodes, const Groups& groups, Instant now);
  void hide();

 private:
  void add(metrics::Gauge& gauge, const metrics::Labels& node, const model::Resources& amounts) const;
  metrics::Labels labels_of(const scheduling::NodeView& node, const Groups& groups) const;
  void show_utilization(const std::vector<scheduling::NodeView>& nodes);

  const metrics::Detail detail_;
  metrics::Gauge &allocatable_, &pod_requests_, &pod_limits_, &daemon_requests_, &daemon_limits_, &overhead_;
  metrics::Gauge& lifetime_;
  metrics::Gauge &count_, &utilization_, &nodes_;
};

// Returns the name of a resource in the label resource_type ("ephemeral-storage": "ephemeral_storage"), and its amount
// in Karpenter's unit: cores of CPU, else whole units.
std::string resource_type(std::string_view resource);
double in_units(std::string_view resource, int64_t amount);

}  // namespace tenon::controllers::cluster_metrics
