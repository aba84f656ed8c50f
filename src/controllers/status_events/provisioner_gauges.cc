// SPDX-License-Identifier: Apache-2.0
#include "controllers/status_events/provisioner_gauges.h"

#include <string>

#include "model/generations.h"

namespace tenon::controllers::status_events {
namespace {

metrics::Gauge& gauge(metrics::Registry& registry, const std::string& name, const std::string& help) {
  return registry.gauge(
      {"karpenter_provisioner_" + name, help + " Of Karpenter v0.27.", {"provisioner", "resource_type"}});
}

double units(const std::string& resource, int64_t amount) {
  constexpr double kMillicores = 1000;
  return static_cast<double>(amount) / (resource == model::kCpu ? kMillicores : 1);
}

}  // namespace

ProvisionerGauges::ProvisionerGauges(metrics::Registry& registry)
    : usage_(gauge(registry, "usage", "Resources of the nodes of a Provisioner.")),
      limit_(gauge(registry, "limit", "Limits of a Provisioner.")),
      usage_pct_(gauge(registry, "usage_pct", "Share of a Provisioner's limit that is used, in percent.")) {}

void ProvisionerGauges::set(const std::vector<std::shared_ptr<const model::NodePool>>& pools) {
  for (const auto& pool : pools) {
    if (!model::is_provisioner(pool->meta.name)) continue;
    const std::string name(model::object_name(pool->meta.name));
    for (const auto& [resource, used] : pool->resources.entries())
      usage_.set({{"provisioner", name}, {"resource_type", resource}}, units(resource, used));
    if (!pool->limits) continue;
    for (const auto& [resource, limit] : pool->limits->entries()) {
      const metrics::Labels labels{{"provisioner", name}, {"resource_type", resource}};
      limit_.set(labels, units(resource, limit));
      if (limit > 0)
        usage_pct_.set(labels, 100.0 * static_cast<double>(pool->resources.get(resource)) / static_cast<double>(limit));
    }
  }
}

void ProvisionerGauges::clear() {
  for (metrics::Gauge* gauge : {&usage_, &limit_, &usage_pct_}) gauge->remove_matching({});
}

}  // namespace tenon::controllers::status_events
