// SPDX-License-Identifier: Apache-2.0
#include "scheduling/testing/carry_out.h"

#include <algorithm>

#include "model/generations.h"
#include "model/labels.h"
#include "scheduling/input/snapshot.h"

namespace tenon::scheduling::testing {
namespace {

NodeView launched(const PlannedNode& planned, const std::vector<model::InstanceType>& types, const std::string& name) {
  const auto type =
      std::find_if(types.begin(), types.end(), [&](const auto& t) { return t.name == planned.launch.instance_type; });
  model::Node node;
  node.meta.name = name;
  node.meta.labels = *planned.labels;
  for (const auto& [key, values] : type->labels) node.meta.labels[key] = values.front();
  for (const auto& [key, r] : planned.requirements.by_key()) {  // labels of the NodePool: some value that is left open
    if (!r.complement() && !r.values().empty()) node.meta.labels.try_emplace(key, *r.values().begin());
  }
  node.meta.labels[std::string(model::kLabelZone)] = planned.launch.zone;
  node.meta.labels[std::string(model::kLabelCapacityType)] = planned.launch.capacity_type;
  node.meta.labels[std::string(model::kLabelHostname)] = name;
  node.meta.labels[std::string(model::kLabelRegistered)] = "true";
  node.meta.labels[std::string(model::kLabelInitialized)] = "true";
  node.capacity = type->capacity;
  node.allocatable = type->allocatable();
  node.taints = planned.taints;
  model::NodeClaim claim;
  claim.meta.name = "claim-" + name;
  const auto [key_of_pool, name_of_pool] = model::pool_label(planned.pool);
  claim.meta.labels[std::string(key_of_pool)] = name_of_pool;
  claim.capacity = type->capacity;
  claim.allocatable = type->allocatable();
  NodeView view;
  view.node = std::make_shared<model::Node>(std::move(node));
  view.claim = std::make_shared<model::NodeClaim>(std::move(claim));
  return view;
}

}  // namespace

Snapshot carry_out(Snapshot snapshot, const Solution& plan, const std::string& prefix) {
  std::map<std::string, PodPtr> pods;
  for (const PodPtr& pod : snapshot.pending) pods[pod->key()] = pod;
  for (const PlannedNode& planned : plan.new_nodes) {
    const auto pool = std::find_if(snapshot.pools.begin(), snapshot.pools.end(),
                                   [&](const auto& p) { return p.pool->meta.name == planned.pool; });
    snapshot.nodes.push_back(launched(planned, *pool->types, prefix + planned.id));
    for (const std::string& key : planned.pods) snapshot.nodes.back().pods.edit().push_back(pods.at(key));
  }
  for (NodeView& view : snapshot.nodes) {
    const auto placed = plan.existing.find(view.name());
    if (placed == plan.existing.end()) continue;
    for (const std::string& key : placed->second) view.pods.edit().push_back(pods.at(key));
  }
  std::erase_if(snapshot.pending, [&](const PodPtr& pod) { return !plan.unschedulable.contains(pod->key()); });
  return snapshot;
}

}  // namespace tenon::scheduling::testing
