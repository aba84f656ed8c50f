// SPDX-License-Identifier: Apache-2.0
#include "controllers/cluster_metrics/pool_gauges.h"

#include <map>
#include <optional>
#include <unordered_map>

#include "controllers/cluster_metrics/node_gauges.h"
#include "model/labels.h"

namespace tenon::controllers::cluster_metrics {
namespace {

using scheduling::NodeView;

std::optional<model::Price> price_in(const model::InstanceType& type, const model::StringMap& labels) {
  for (const model::Offering& offering : type.offerings) {
    if (offering.zone == model::lookup(labels, model::kLabelZone) &&
        offering.capacity_type == model::lookup(labels, model::kLabelCapacityType) &&
        offering.reservation_id == model::lookup(labels, model::kLabelReservationId)) {
      return offering.price;
    }
  }
  return std::nullopt;
}

}  // namespace

PoolGauges::PoolGauges(metrics::Registry& registry)
    : limit_(registry.gauge(
          {"karpenter_nodepools_limit", "Limits of a NodePool: cores, bytes.", {"resource_type", "nodepool"}})),
      usage_(registry.gauge({"karpenter_nodepools_usage",
                             "Resources of the nodes of a NodePool: cores, bytes.",
                             {"resource_type", "nodepool"}})),
      cost_(registry.gauge({"karpenter_nodepools_cost_total",
                            "Prices of the nodes of a NodePool in USD an hour, with NodeOverlays.",
                            {"nodepool"}})),
      errors_(registry.counter({"karpenter_nodepools_cost_tracker_errors_total",
                                "Nodes of a NodePool whose price was not found, so that the total is too low.",
                                {"nodepool"}})) {}

void PoolGauges::show(const std::vector<scheduling::PoolView>& pools, const std::vector<NodeView>& nodes) {
  std::map<std::string_view, std::vector<const NodeView*>> by_pool;
  for (const NodeView& node : nodes) {
    if (node.managed() && !node.claim->provider_id.empty()) by_pool[node.pool()].push_back(&node);
  }
  const std::set<std::string> before = std::move(without_price_);
  without_price_.clear();
  for (const scheduling::PoolView& view : pools) {
    const std::string& name = view.pool->meta.name;
    for (const auto& [resource, amount] : view.pool->resources.entries())
      usage_.set({{"resource_type", resource_type(resource)}, {"nodepool", name}}, in_units(resource, amount));
    if (view.pool->limits) {
      for (const auto& [resource, amount] : view.pool->limits->entries())
        limit_.set({{"resource_type", resource_type(resource)}, {"nodepool", name}}, in_units(resource, amount));
    }
    show_cost(view, by_pool[name]);
    for (const NodeView* node : by_pool[name]) {
      if (without_price_.contains(node->name()) && !before.contains(node->name())) errors_.add({{"nodepool", name}});
    }
  }
}

void PoolGauges::show_cost(const scheduling::PoolView& pool, const std::vector<const NodeView*>& nodes) {
  std::unordered_map<std::string_view, const model::InstanceType*> types;
  if (pool.types) {
    for (const model::InstanceType& type : *pool.types) types.emplace(type.name, &type);
  }
  model::Price sum;
  for (const NodeView* node : nodes) {
    const auto type = types.find(model::lookup(node->labels(), model::kLabelInstanceType));
    const auto price = type == types.end() ? std::nullopt : price_in(*type->second, node->labels());
    if (price) {
      sum += *price;
    } else {
      without_price_.insert(node->name());
    }
  }
  cost_.set({{"nodepool", pool.pool->meta.name}},
            static_cast<double>(sum.value()) / static_cast<double>(model::kPicoPerUsd));
}

void PoolGauges::hide() {
  for (metrics::Gauge* gauge : {&limit_, &usage_, &cost_}) gauge->remove_matching({});
}

}  // namespace tenon::controllers::cluster_metrics
