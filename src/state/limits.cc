// SPDX-License-Identifier: Apache-2.0
#include "state/limits.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>

#include "model/labels.h"

namespace tenon::state {
namespace {

constexpr std::string_view kNodes = "nodes";

std::set<std::string_view> listed_types(const model::NodeClaim& claim) {
  std::set<std::string_view> names;
  for (const auto& spec : claim.requirements) {
    if (spec.key != model::kLabelInstanceType || spec.op != model::Operator::kIn) continue;
    names.insert(spec.values.begin(), spec.values.end());
  }
  return names;
}

// A claim without a list of types is of a static pool, whose only limit is of nodes, or made by hand.
model::Resources least(const model::NodeClaim& claim, const scheduling::PoolView& pool) {
  const auto listed = listed_types(claim);
  std::optional<model::Resources> least;
  for (const model::InstanceType& type : *pool.types) {
    if (!listed.contains(type.name)) continue;
    model::Resources smaller;
    for (const auto& [name, amount] : type.capacity.entries()) {
      smaller.set(name, least ? std::min(amount, least->get(name)) : amount);
    }
    least = std::move(smaller);
  }
  model::Resources all = least.value_or(claim.requests);
  all.set(kNodes, 1);
  return all;
}

bool younger(const model::NodeClaim& a, const model::NodeClaim& b) {
  return std::tie(a.meta.created_at, a.meta.name) > std::tie(b.meta.created_at, b.meta.name);
}

}  // namespace

std::string over_limits(const scheduling::PoolView& pool, const std::vector<scheduling::NodeView>& nodes,
                        const model::NodeClaim& claim) {
  if (!pool.pool->limits || !pool.types) return {};
  model::Resources used;
  for (const scheduling::NodeView& node : nodes) {
    if (node.pool() != pool.pool->meta.name || node.deleting()) continue;
    const bool waits = node.claim && node.claim->provider_id.empty();
    if (waits && younger(*node.claim, claim)) continue;
    used += waits ? least(*node.claim, pool) : node.capacity();
  }
  for (const auto& [name, limit] : pool.pool->limits->entries()) {
    if (used.get(name) <= limit) continue;
    return "resource usage exceeds limit (limit=" + model::format_amount(name, limit) + ", resource-name=" + name +
           ", usage=" + model::format_amount(name, used.get(name)) + ")";
  }
  return {};
}

}  // namespace tenon::state
