// SPDX-License-Identifier: Apache-2.0
#include "cloud/aws_provider/launch/instance_metrics.h"

namespace tenon::cloud {

InstanceMetrics::InstanceMetrics(metrics::Registry* registry) {
  if (registry == nullptr) return;
  cells_ = std::make_unique<Cells>(Cells{
      registry->counter({"karpenter_cloudprovider_instance_launch_failures_total",
                         "Errors of launches, by offering and reason.",
                         {"zone", "zone_id", "capacity_type", "reason"}}),
      registry->counter({"karpenter_cloudprovider_instance_termination_failures_total",
                         "Instances whose end AWS refused.",
                         {"zone", "zone_id"}}),
      registry->histogram(
          {"karpenter_cloudprovider_batcher_batch_time_seconds", "How long a batch of calls was open.", {"batcher"}},
          metrics::exponential_buckets(0.01, 2, 10)),
      registry->histogram({"karpenter_cloudprovider_batcher_batch_size", "Calls that were made as one.", {"batcher"}},
                          metrics::exponential_buckets(1, 2, 11))});
}

void InstanceMetrics::launch_failed(const Zone& zone, const std::string& capacity_type, std::string_view reason) {
  if (!cells_) return;
  cells_->launches.add(
      {{"zone", zone.name}, {"zone_id", zone.id}, {"capacity_type", capacity_type}, {"reason", std::string(reason)}});
}

void InstanceMetrics::termination_failed(const Zone& zone) {
  if (cells_) cells_->terminations.add({{"zone", zone.name}, {"zone_id", zone.id}});
}

std::function<void(Duration open, size_t items)> InstanceMetrics::batches(const std::string& batcher) {
  if (!cells_) return {};
  return [cells = cells_.get(), batcher](Duration open, size_t items) {
    cells->batch_time.observe({{"batcher", batcher}}, in_seconds(open));
    cells->batch_size.observe({{"batcher", batcher}}, static_cast<double>(items));
  };
}

}  // namespace tenon::cloud
