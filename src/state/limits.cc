// SPDX-License-Identifier: Apache-2.0
#include "state/limits.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
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

using Listed = std::vector<const model::InstanceType*>;

// Returns the extreme of each resource among the listed types. A claim without a list of types was created by hand or
// belongs to a static pool, whose only limit is the number of nodes.
template <class Choose>
model::Resources extreme(const model::NodeClaim& claim, const Listed& types, Choose choose) {
  std::optional<model::Resources> extreme;
  for (const model::InstanceType* type : types) {
    if (!extreme) extreme = type->capacity;
    model::Resources next;
    for (const model::Resources* one : {&std::as_const(*extreme), &type->capacity}) {
      for (const auto& entry : one->entries())
        next.set(entry.first, choose(extreme->get(entry.first), type->capacity.get(entry.first)));
    }
    extreme = std::move(next);
  }
  model::Resources all = extreme.value_or(claim.requests);
  all.set(kNodes, 1);
  return all;
}

// A file of --cloud kwok may list a type once for each operating system.
using TypesByName = std::unordered_multimap<std::string_view, const model::InstanceType*>;

model::Resources least(const model::NodeClaim& claim, const TypesByName& types) {
  Listed listed;
  for (const std::string_view name : listed_types(claim)) {
    for (auto [it, end] = types.equal_range(name); it != end; ++it) listed.push_back(it->second);
  }
  return extreme(claim, listed, [](int64_t a, int64_t b) { return std::min(a, b); });
}

bool younger(const model::NodeClaim& a, const model::NodeClaim& b) {
  return std::tie(a.meta.created_at, a.meta.name) > std::tie(b.meta.created_at, b.meta.name);
}

}  // namespace

model::Resources most(const model::NodeClaim& claim, const std::vector<model::InstanceType>& types) {
  const auto names = listed_types(claim);
  Listed listed;
  for (const model::InstanceType& type : types) {
    if (names.contains(type.name)) listed.push_back(&type);
  }
  return extreme(claim, listed, [](int64_t a, int64_t b) { return std::max(a, b); });
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
    if (!younger(*waiting, claim)) used += least(*waiting, types);
  }
  for (const auto& [name, limit] : pool.pool->limits->entries()) {
    if (used.get(name) <= limit) continue;
    return "resource usage exceeds limit (limit=" + model::format_amount(name, limit) + ", resource-name=" + name +
           ", usage=" + model::format_amount(name, used.get(name)) + ")";
  }
  return {};
}

}  // namespace tenon::state
