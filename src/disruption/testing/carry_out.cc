// SPDX-License-Identifier: Apache-2.0
#include "disruption/testing/carry_out.h"

#include <algorithm>

#include "base/check.h"
#include "model/labels.h"
#include "model/testing/builders.h"

namespace tenon::disruption::testing {
namespace {

using scheduling::NodeView;
using scheduling::PodPtr;
using scheduling::Snapshot;

model::Condition yes(std::string_view type) {
  return {std::string(type), "True", std::string(type), "", model::testing::kNow - 1h, 0};
}

}  // namespace

NodeView a_node(const std::string& name, const model::NodePool& pool, const model::InstanceType& type,
                const std::string& zone, const std::string& capacity_type) {
  model::Node node;
  node.meta.name = name;
  node.meta.uid = "uid-" + name;
  node.meta.created_at = model::testing::kNow - 2h;
  node.provider_id = "aws:///" + zone + "/i-" + name;
  for (const auto& [key, values] : type.labels) node.meta.labels[key] = values.front();
  for (const auto& [key, value] : pool.node_template.labels) node.meta.labels[key] = value;
  for (const auto& [key, value] : {std::pair{model::kLabelInstanceType, std::string_view(type.name)},
                                   {model::kLabelZone, zone},
                                   {model::kLabelCapacityType, capacity_type},
                                   {model::kLabelHostname, name},
                                   {model::kLabelNodePool, pool.meta.name},
                                   {model::kLabelRegistered, "true"},
                                   {model::kLabelInitialized, "true"}}) {
    node.meta.labels[std::string(key)] = value;
  }
  node.capacity = type.capacity;
  node.allocatable = type.allocatable();
  node.conditions = {yes("Ready")};
  model::NodeClaim claim;
  claim.meta = node.meta;
  claim.meta.name = "claim-" + name;
  claim.capacity = node.capacity;
  claim.allocatable = node.allocatable;
  claim.provider_id = node.provider_id;
  claim.node_name = name;
  for (const std::string_view condition :
       {model::kLaunched, model::kRegistered, model::kInitialized, model::kConsolidatable})
    claim.conditions.push_back(yes(condition));
  NodeView view;
  view.node = std::make_shared<model::Node>(std::move(node));
  view.claim = std::make_shared<model::NodeClaim>(std::move(claim));
  return view;
}

void carry_out(Snapshot& snapshot, const Move& move, const std::string& round) {
  std::map<std::string, PodPtr> pods;
  for (const std::string& name : move.nodes) {
    const auto at = std::find_if(snapshot.nodes.begin(), snapshot.nodes.end(),
                                 [&](const NodeView& view) { return view.name() == name; });
    CHECK(at != snapshot.nodes.end(), name);
    for (const PodPtr& pod : at->pods) pods[pod->key()] = pod;
    snapshot.nodes.erase(at);
  }
  const auto put = [&](NodeView& view, const std::vector<std::string>& keys) {
    for (const std::string& key : keys) {
      model::Pod pod = *pods.at(key);
      pod.node_name = view.name();
      view.pods.edit().push_back(std::make_shared<model::Pod>(std::move(pod)));
      pods.erase(key);
    }
  };
  for (NodeView& view : snapshot.nodes) {
    if (const auto at = move.pods_to_existing.find(view.name()); at != move.pods_to_existing.end())
      put(view, at->second);
  }
  for (const scheduling::PlannedNode& planned : move.replacements) {
    const auto pool = std::find_if(snapshot.pools.begin(), snapshot.pools.end(),
                                   [&](const auto& view) { return view.pool->meta.name == planned.pool; });
    const auto type = std::find_if(pool->types->begin(), pool->types->end(),
                                   [&](const auto& t) { return t.name == planned.launch.instance_type; });
    CHECK(type != pool->types->end(), planned.launch.instance_type);
    NodeView view = a_node("node-" + round + "-" + move.id + "-" + planned.id, *pool->pool, *type, planned.launch.zone,
                           planned.launch.capacity_type);
    put(view, planned.pods);
    snapshot.nodes.push_back(std::move(view));
  }
  CHECK(pods.empty(), "every pod of " + move.id + " has a place");
  std::sort(snapshot.nodes.begin(), snapshot.nodes.end(),
            [](const NodeView& a, const NodeView& b) { return a.name() < b.name(); });
}

model::Price price_of(const Snapshot& snapshot) {
  model::Price sum;
  for (const NodeView& view : snapshot.nodes) sum += price_of_instance(snapshot, view);
  return sum;
}

}  // namespace tenon::disruption::testing
