// The gauges of NodePools: limits, usage and price.
// parity: karpenter pkg/controllers/metrics/nodepool/controller.go, pkg/state/cost
// Thread rule: one caller at a time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "metrics/registry.h"
#include "scheduling/input/snapshot.h"

namespace tenon::controllers::cluster_metrics {

class PoolGauges {
 public:
  explicit PoolGauges(metrics::Registry& registry);
  void show(const std::vector<scheduling::PoolView>& pools, const std::vector<scheduling::NodeView>& nodes);
  void hide();

 private:
  void show_cost(const scheduling::PoolView& pool, const std::vector<const scheduling::NodeView*>& nodes);

  metrics::Gauge &limit_, &usage_, &cost_;
  metrics::Counter& errors_;
  std::set<std::string> without_price_;  // nodes that errors_ has counted, and that still have no price
};

}  // namespace tenon::controllers::cluster_metrics
