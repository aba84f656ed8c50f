// Problem: one pass finds several moves, with methods that each read a snapshot. The room, nodes and budgets that one
// move uses must not be available to the next.
//
// Method: the first move copies the snapshot, which shares its objects; each move then changes the copy:
//   - Its pods leave its nodes, or the pending pods, and are counted on the nodes that the move plans for them. Target
//     nodes are marked as nominated, so they are no candidates any more.
//   - Its replacements are added as NodeClaims in flight. They are not initialized, so they accept no displaced pods.
//   - Its nodes stay, without these pods, and belong to a waiting move (their part of the NodePool's limits is still
//     used) or, for drift, to a command in progress (they are treated as removed).
//
// Example: a move removes node a with 4 pods, 3 of which fit on b and 1 on a new node. Afterwards a has no pods and is
// held, b has 3 pods more and is nominated, and replacement-0-new-0 has one pod. Further moves use neither.
//
// Cost: one copy of the lists of the snapshot; then O(nodes + pods of the changed nodes) for each move.
// SPDX-License-Identifier: Apache-2.0
#include "disruption/projected_cluster.h"

#include <algorithm>

#include "model/generations.h"
#include "model/labels.h"
#include "scheduling/input/solution.h"

namespace tenon::disruption {
namespace {

using scheduling::NodeView;
using scheduling::PlannedNode;
using scheduling::PodPtr;
using scheduling::Snapshot;

using Pods = std::map<std::string, PodPtr>;  // by key

// Takes the pods that the move places off their nodes and off the pending pods. Returns them. A move also places pods
// of nodes that are being removed already.
Pods take_off(Snapshot& snapshot, const Move& move, const std::vector<std::string>& in_progress) {
  std::set<std::string> leaving;
  for (const auto& [name, keys] : move.pods_to_existing) leaving.insert(keys.begin(), keys.end());
  for (const PlannedNode& node : move.replacements) leaving.insert(node.pods.begin(), node.pods.end());
  Pods pods;
  const auto leaves = [&](const PodPtr& pod) {
    if (!leaving.contains(pod->key())) return false;
    pods[pod->key()] = pod;
    return true;
  };
  for (NodeView& view : snapshot.nodes) {
    const auto is_in = [&](const std::vector<std::string>& names) {
      return std::find(names.begin(), names.end(), view.name()) != names.end();
    };
    if (view.deleting() || is_in(move.nodes) || is_in(in_progress)) std::erase_if(view.pods.edit(), leaves);
  }
  std::erase_if(snapshot.pending, leaves);
  return pods;
}

void put_on(NodeView& view, const std::vector<std::string>& keys, const Pods& pods) {
  std::vector<PodPtr>& there = view.pods.edit();
  for (const std::string& key : keys) {
    if (const auto at = pods.find(key); at != pods.end()) there.push_back(at->second);
  }
  std::sort(there.begin(), there.end(), [](const PodPtr& a, const PodPtr& b) { return a->key() < b->key(); });
}

const model::InstanceType* launched_type(const Snapshot& snapshot, const PlannedNode& node) {
  for (const auto& view : snapshot.pools) {
    if (view.pool->meta.name != node.pool || !view.types) continue;
    for (const model::InstanceType& type : *view.types) {
      if (type.name == node.launch.instance_type) return &type;
    }
  }
  return nullptr;
}

// Returns a replacement as its NodeClaim will look before the launch.
NodeView in_flight(const Snapshot& snapshot, const PlannedNode& node, const std::string& name, const Pods& pods) {
  auto claim = std::make_shared<model::NodeClaim>();
  claim->meta.name = name;
  claim->meta.labels = *node.labels;
  for (const auto& [key, value] : node.requirements.single_values()) claim->meta.labels[key] = value;
  const auto [key_of_pool, name_of_pool] = model::pool_label(node.pool);
  claim->meta.labels[std::string(key_of_pool)] = name_of_pool;
  claim->meta.labels[std::string(model::kLabelInstanceType)] = node.launch.instance_type;
  claim->meta.labels[std::string(model::kLabelZone)] = node.launch.zone;
  claim->meta.labels[std::string(model::kLabelCapacityType)] = node.launch.capacity_type;
  claim->taints = node.taints;
  claim->startup_taints = node.startup_taints;
  if (const auto* type = launched_type(snapshot, node)) {
    claim->capacity = type->capacity;
    claim->allocatable = type->allocatable();
  }
  NodeView view;
  view.claim = std::move(claim);
  put_on(view, node.pods, pods);
  return view;
}

}  // namespace

ProjectedCluster::ProjectedCluster(const Snapshot& now, Options options) : now_(now), options_(std::move(options)) {
  for (const Move& move : options_.waiting) change(move);
}

void ProjectedCluster::apply(const Move& move) {
  change(move);
  if (needs_validation(move.method)) {
    options_.waiting.push_back(move);
  } else {
    options_.in_progress.insert(options_.in_progress.end(), move.nodes.begin(), move.nodes.end());
  }
}

void ProjectedCluster::change(const Move& move) {
  if (!changed_) changed_ = now_;
  Snapshot& snapshot = *changed_;
  const Pods pods = take_off(snapshot, move, options_.in_progress);
  for (NodeView& view : snapshot.nodes) {
    const auto takes = move.pods_to_existing.find(view.name());
    if (takes == move.pods_to_existing.end()) continue;
    put_on(view, takes->second, pods);
    view.nominated = true;
  }
  for (const PlannedNode& node : move.replacements) {
    NodeView view = in_flight(snapshot, node, "replacement-" + std::to_string(moves_) + "-" + node.id, pods);
    const auto at = std::lower_bound(snapshot.nodes.begin(), snapshot.nodes.end(), view,
                                     [](const NodeView& a, const NodeView& b) { return a.name() < b.name(); });
    snapshot.nodes.insert(at, std::move(view));
  }
  ++moves_;
}

}  // namespace tenon::disruption
