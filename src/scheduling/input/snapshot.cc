// SPDX-License-Identifier: Apache-2.0
#include "scheduling/input/snapshot.h"

#include <algorithm>

#include "model/labels.h"

namespace tenon::scheduling {
namespace {

constexpr std::string_view kTaintUnschedulable = "node.kubernetes.io/unschedulable";
const std::string kNoName;
const model::StringMap kNoLabels;

// Returns the node's resources, with the claim's for those that the node does not report yet.
model::Resources filled(const model::Resources& node, const model::Resources& claim) {
  model::Resources result = node;
  for (const auto& [name, amount] : claim.entries()) {
    if (result.get(name) == 0) result.set(name, amount);
  }
  return result;
}

}  // namespace

const std::string& NodeView::name() const {
  if (node) return node->meta.name;
  return claim ? claim->meta.name : kNoName;
}

std::string_view NodeView::pool() const { return claim ? claim->pool() : std::string_view{}; }

NodeView::Standing NodeView::standing() const {
  if (known) return known->standing;
  if (!claim) return {true, true};
  if (!node) return {false, false};
  const auto is = [&](std::string_view label) { return model::lookup(node->meta.labels, label) == "true"; };
  return {is(model::kLabelRegistered), is(model::kLabelInitialized)};
}

bool NodeView::ending() const {
  if (known) return known->ending;
  if (claim && (claim->meta.deleting() || claim->is(model::kInstanceTerminating))) return true;
  return node && node->meta.deleting();
}

bool NodeView::deleting() const { return marked_for_deletion || ending(); }

const model::StringMap& NodeView::labels(Standing standing) const {
  if (!standing.registered) return claim->meta.labels;
  return node ? node->meta.labels : kNoLabels;
}

std::vector<model::Taint> NodeView::taints(Standing standing) const {
  std::vector<model::Taint> taints;
  if (standing.registered) {
    if (node) taints = node->taints;
  } else {
    taints = claim->taints;
  }
  if (!standing.initialized) {
    const auto passing = [&](const model::Taint& taint) {
      const auto& startup = claim->startup_taints;
      return is_ephemeral_taint(taint) ||
             std::any_of(startup.begin(), startup.end(), [&](const model::Taint& t) { return t.same(taint); });
    };
    taints.erase(std::remove_if(taints.begin(), taints.end(), passing), taints.end());
  }
  // kube-scheduler rejects cordoned nodes even before they have the taint.
  if (!node || !node->unschedulable) return taints;
  const model::Taint cordoned{std::string(kTaintUnschedulable), "", "NoSchedule", std::nullopt};
  const bool tainted =
      std::any_of(taints.begin(), taints.end(), [&](const model::Taint& t) { return t.same(cordoned); });
  if (!tainted) taints.push_back(cordoned);
  return taints;
}

model::Resources NodeView::capacity() const {
  model::Resources result;
  if (node) result = node->capacity;
  if (!initialized()) result = filled(result, claim->capacity);
  result.set("nodes", 1);
  return result;
}

model::Resources NodeView::allocatable() const {
  model::Resources result;
  if (node) result = node->allocatable;
  return initialized() ? result : filled(result, claim->allocatable);
}

int64_t Snapshot::size() const {
  return std::count_if(nodes.begin(), nodes.end(), [](const NodeView& node) { return !node.ending(); });
}

void index_types(Snapshot& snapshot) {
  std::map<TypeIndex::Types, std::shared_ptr<const TypeIndex>> known;
  for (PoolView& view : snapshot.pools) {
    if (!view.types) continue;
    auto& index = known[view.types];
    if (!index) index = std::make_shared<const TypeIndex>(view.types);
    view.index = index;
  }
}

const PoolView* Snapshot::pool(std::string_view name) const {
  const auto it =
      std::find_if(pools.begin(), pools.end(), [&](const PoolView& v) { return v.pool->meta.name == name; });
  return it == pools.end() ? nullptr : &*it;
}

const NodeView* Snapshot::node(std::string_view name) const {
  const auto sorted =
      std::lower_bound(nodes.begin(), nodes.end(), name,
                       [](const NodeView& view, std::string_view other) { return view.name() < other; });
  if (sorted != nodes.end() && sorted->name() == name) return &*sorted;
  // Some builders of snapshots append nodes without order.
  const auto it = std::find_if(nodes.begin(), nodes.end(), [&](const NodeView& v) { return v.name() == name; });
  return it == nodes.end() ? nullptr : &*it;
}

}  // namespace tenon::scheduling
