// SPDX-License-Identifier: Apache-2.0
#include "cloud/aws_provider/types/market_metrics.h"

#include "model/price.h"

namespace tenon::cloud {

MarketMetrics::MarketMetrics(metrics::Registry* registry, log::Logger log) : log_(std::move(log)) {
  if (registry == nullptr) return;
  const std::vector<std::string> offering{"instance_type", "capacity_type", "zone"};
  gauges_ = std::make_unique<Gauges>(Gauges{
      registry->gauge(
          {"karpenter_cloudprovider_instance_type_cpu_cores", "vCPUs of an instance type.", {"instance_type"}}),
      registry->gauge(
          {"karpenter_cloudprovider_instance_type_memory_bytes", "Memory of an instance type.", {"instance_type"}}),
      registry->gauge({"karpenter_cloudprovider_instance_type_offering_available",
                       "Whether an offering can be launched now.", offering}),
      registry->gauge({"karpenter_cloudprovider_instance_type_offering_price_estimate",
                       "What an offering costs in USD an hour, for all that is known.", offering}),
      registry->gauge({"tenon_cloudprovider_price_age_seconds", "Age of the prices, by source.", {"source"}}),
      registry->gauge({"karpenter_ec2nodeclasses_userdata_bytes",
                       "Bytes of the user data of an EC2NodeClass's instances.",
                       {"nodeclass"}})});
}

void MarketMetrics::show(const std::string& node_class, const InstanceTypes& types) {
  if (!gauges_) return;
  const std::scoped_lock lock(mutex_);
  if (!shown_.contains(node_class) && shown_.size() >= 256) return;
  InstanceTypes& shown = shown_[node_class];
  if (shown == types) return;
  shown = types;
  for (const model::InstanceType& type : *types) {
    gauges_->cpu.set({{"instance_type", type.name}}, static_cast<double>(type.capacity.get(model::kCpu)) / 1000);
    gauges_->memory.set({{"instance_type", type.name}}, static_cast<double>(type.capacity.get(model::kMemory)));
    for (const model::Offering& offering : type.offerings) {
      if (offering.only_lacks_price) continue;
      const metrics::Labels labels{
          {"instance_type", type.name}, {"capacity_type", offering.capacity_type}, {"zone", offering.zone}};
      gauges_->available.set(labels, offering.available ? 1 : 0);
      gauges_->price.set(labels, static_cast<double>(offering.price.value()) / static_cast<double>(model::kPicoPerUsd));
    }
  }
}

void MarketMetrics::forget(const std::string& node_class) {
  const std::scoped_lock lock(mutex_);
  shown_.erase(node_class);
  user_data_.erase(node_class);
  if (gauges_) gauges_->user_data.remove({{"nodeclass", node_class}});
}

void MarketMetrics::show_age(const std::string& source, std::optional<Duration> age) {
  if (!age) return;
  if (gauges_) gauges_->age.set({{"source", source}}, std::chrono::duration<double>(*age).count());
  bool& stale = stale_[source];
  if (stale == (*age >= kPricesStale)) return;
  stale = !stale;
  log_.warn(stale ? "the " + source + " prices are " + format_go_duration(*age) +
                        " old: AWS does not answer, and decisions go by the last ones known"
                  : "the " + source + " prices are fresh again");
}

void MarketMetrics::show_ages(const Prices::Ages& ages) {
  const std::scoped_lock lock(mutex_);
  show_age("on-demand", ages.on_demand);
  show_age("spot", ages.spot);
}

bool MarketMetrics::show_user_data(const std::string& node_class, size_t bytes) {
  const std::scoped_lock lock(mutex_);
  const auto [it, fresh] = user_data_.try_emplace(node_class, bytes);
  if (!fresh && it->second == bytes) return false;
  it->second = bytes;
  if (gauges_) gauges_->user_data.set({{"nodeclass", node_class}}, static_cast<double>(bytes));
  return true;
}

}  // namespace tenon::cloud
