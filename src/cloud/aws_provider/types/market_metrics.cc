// SPDX-License-Identifier: Apache-2.0
#include "cloud/aws_provider/types/market_metrics.h"

#include <set>
#include <string_view>
#include <utility>

#include "model/price.h"

namespace tenon::cloud {

MarketMetrics::MarketMetrics(metrics::Registry* registry, log::Logger log) : log_(std::move(log)) {
  if (registry == nullptr) return;
  // At standard detail: the number of instance types that can be launched, by capacity type and zone.
  const std::vector<std::string> offering{"capacity_type", "zone"}, type{"instance_type"};
  using metrics::Detail;
  gauges_ = std::make_unique<Gauges>(Gauges{
      registry->gauge(
          {"karpenter_cloudprovider_instance_type_cpu_cores", "vCPUs of an instance type.", type, {}, Detail::kFull}),
      registry->gauge({"karpenter_cloudprovider_instance_type_memory_bytes",
                       "Memory of an instance type.",
                       type,
                       {},
                       Detail::kFull}),
      registry->gauge({"karpenter_cloudprovider_instance_type_offering_available",
                       "1 if an offering can be launched now, else 0.", offering, type}),
      registry->gauge({"karpenter_cloudprovider_instance_type_offering_price_estimate",
                       "Price of an offering in USD an hour, as far as it is known.", offering, type, Detail::kFull}),
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
  if (!gauges_->price.shown()) return count_available();
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

// Several classes offer the same types; each type counts once.
void MarketMetrics::count_available() {
  std::map<std::pair<std::string, std::string>, std::set<std::string_view>> available;  // by capacity type and zone
  for (const auto& [node_class, types] : shown_) {
    for (const model::InstanceType& type : *types) {
      for (const model::Offering& offering : type.offerings) {
        if (offering.only_lacks_price) continue;
        std::set<std::string_view>& names = available[{offering.capacity_type, offering.zone}];
        if (offering.available) names.insert(type.name);
      }
    }
  }
  gauges_->available.remove_matching({});
  for (const auto& [where, names] : available) {
    gauges_->available.set({{"capacity_type", where.first}, {"zone", where.second}}, static_cast<double>(names.size()));
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
