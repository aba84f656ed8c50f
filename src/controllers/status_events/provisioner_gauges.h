// The usage and the limits of Provisioners, under the names of Karpenter v0.27. Thread rule: one caller at a time.
// parity: karpenter-core v0.27.5 pkg/controllers/metrics/provisioner
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "metrics/registry.h"
#include "model/node_pool.h"

namespace tenon::controllers::status_events {

class ProvisionerGauges {
 public:
  explicit ProvisionerGauges(metrics::Registry& registry);
  // Sets the series of the Provisioners among these pools.
  void set(const std::vector<std::shared_ptr<const model::NodePool>>& pools);
  void clear();

 private:
  metrics::Gauge &usage_, &limit_, &usage_pct_;
};

}  // namespace tenon::controllers::status_events
