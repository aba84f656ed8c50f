// SPDX-License-Identifier: Apache-2.0
#include "state/limits.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

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

// Returns the extreme of each resource among the listed types. A claim without a list of types was created by hand or
// belongs to a static pool, whose only limit is the number of nodes.
template <class Choose>
model::Resources extreme(const model::NodeClaim& claim, const std::vector<model::InstanceType>& types, Choose choose) {
  const auto listed = listed_types(claim);
  std::optional<model::Resources> extreme;
  for (const model::InstanceType& type : types) {
    if (!listed.contains(type.name)) continue;
    if (!extreme) extreme = type.capacity;
    model::Resources next;
    for (const model::Resources* one : {&std::as_const(*extreme), &type.capacity}) {
      for (const auto& entry : one->entries())
        next.set(entry.first, choose(extreme->get(entry.first), type.capacity.get(entry.first)));
    }
    extreme = std::move(next);
  }
  model::Resources all = extreme.value_or(claim.requests);
  all.set(kNodes, 1);
  return all;
}

model::Resources least(const model::NodeClaim& claim, const scheduling::PoolView& pool) {
  return extreme(claim, *pool.types, [](int64_t a, int64_t b) { return std::min(a, b); });
}

bool younger(const model::NodeClaim& a, const model::NodeClaim& b) {
  return std::tie(a.meta.created_at, a.meta.name) > std::tie(b.meta.created_at, b.meta.name);
}

}  // namespace

model::Resources most(const model::NodeClaim& claim, const std::vector<model::InstanceType>& types) {
  return extreme(claim, types, [](int64_t a, int64_t b) { return std::max(a, b); });
}

bool waits(const scheduling::NodeView& view) { return view.claim && view.claim->provider_id.empty(); }

PoolUse pool_use(const std::string& pool, const std::vector<scheduling::NodeView>& nodes) {
  PoolUse use;
  for (const scheduling::NodeView& node : nodes) {
    if (node.pool() != pool || node.deleting()) continue;
    if (waits(node))
      use.waiting.emplace(node.claim->meta.name, node.claim);
    else
      use.settled += node.capacity();
  }
  return use;
}

std::string over_limits(const scheduling::PoolView& pool, const PoolUse& use, const model::NodeClaim& claim) {
  if (!pool.pool->limits || !pool.types) return {};
  model::Resources used = use.settled;
  for (const auto& [name, waiting] : use.waiting) {
    if (!younger(*waiting, claim)) used += least(*waiting, pool);
  }
  for (const auto& [name, limit] : pool.pool->limits->entries()) {
    if (used.get(name) <= limit) continue;
    return "resource usage exceeds limit (limit=" + model::format_amount(name, limit) + ", resource-name=" + name +
           ", usage=" + model::format_amount(name, used.get(name)) + ")";
  }
  return {};
}

}  // namespace tenon::state
