// SPDX-License-Identifier: Apache-2.0
#include "state/limits.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>

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

// A claim without a list of types was created by hand or belongs to a static pool, whose only limit is the number of
// nodes: it counts with its requests.
// A file of --cloud kwok may list a type once for each operating system.
using TypesByName = std::unordered_multimap<std::string_view, const model::InstanceType*>;

// Adds the least amounts of the limited resources among the claim's types: a launch that waits compares hundreds of
// types for each claim before it.
void add_least(const model::NodeClaim& claim, const TypesByName& types, const model::Resources& limits,
               model::Resources& used) {
  std::vector<const model::Resources*> listed;
  for (const std::string_view name : listed_types(claim)) {
    for (auto [it, end] = types.equal_range(name); it != end; ++it) listed.push_back(&it->second->capacity);
  }
  if (listed.empty()) listed.push_back(&claim.requests);
  for (const auto& [name, limit] : limits.entries()) {
    if (name == kNodes) {
      used.add(name, 1);
      continue;
    }
    int64_t least = listed.front()->get(name);
    for (const model::Resources* capacity : listed) least = std::min(least, capacity->get(name));
    used.add(name, least);
  }
}

bool younger(const model::NodeClaim& a, const model::NodeClaim& b) {
  return std::tie(a.meta.created_at, a.meta.name) > std::tie(b.meta.created_at, b.meta.name);
}

}  // namespace

model::Resources most(const model::NodeClaim& claim, const std::vector<model::InstanceType>& types) {
  const auto names = listed_types(claim);
  std::optional<model::Resources> most;
  for (const model::InstanceType& type : types) {
    if (!names.contains(type.name)) continue;
    if (!most) most = type.capacity;
    for (const auto& [name, amount] : type.capacity.entries()) {
      if (amount > most->get(name)) most->set(name, amount);
    }
  }
  model::Resources all = most.value_or(claim.requests);
  all.set(kNodes, 1);
  return all;
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

model::Resources capacity(const PoolUse& use) {
  model::Resources all = use.settled;
  for (const auto& [name, claim] : use.waiting) {
    scheduling::NodeView view;
    view.claim = claim;
    all += view.capacity();
  }
  return all;
}

std::string over_limits(const scheduling::PoolView& pool, const PoolUse& use, const model::NodeClaim& claim) {
  if (!pool.pool->limits || !pool.types) return {};
  TypesByName types(2 * pool.types->size());
  for (const model::InstanceType& type : *pool.types) types.emplace(type.name, &type);
  model::Resources used = use.settled;
  for (const auto& [name, waiting] : use.waiting) {
    if (!younger(*waiting, claim)) add_least(*waiting, types, *pool.pool->limits, used);
  }
  for (const auto& [name, limit] : pool.pool->limits->entries()) {
    if (used.get(name) <= limit) continue;
    return "resource usage exceeds limit (limit=" + model::format_amount(name, limit) + ", resource-name=" + name +
           ", usage=" + model::format_amount(name, used.get(name)) + ")";
  }
  return {};
}

}  // namespace tenon::state
