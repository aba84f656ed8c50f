// Counts failed launches and terminations, and measures call batches. parity: provider-aws pkg/metrics,
// pkg/batcher/metrics.go
// Thread rule: any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "cloud/provider.h"
#include "metrics/registry.h"

namespace tenon::cloud {

class InstanceMetrics {
 public:
  // `registry` is borrowed; null: nothing is counted.
  explicit InstanceMetrics(metrics::Registry* registry);

  // Counts one error of a Fleet; `reason` as in a claim's condition.
  void launch_failed(const Zone& zone, const std::string& capacity_type, std::string_view reason);
  void termination_failed(const Zone& zone);
  // Returns the function for BatchOptions::told of that batcher ("describe_instances", …); empty without a registry.
  std::function<void(Duration open, size_t items)> batches(const std::string& batcher);

 private:
  struct Cells {
    metrics::Counter &launches, &terminations;
    metrics::Histogram &batch_time, &batch_size;
  };
  std::unique_ptr<Cells> cells_;
};

}  // namespace tenon::cloud
