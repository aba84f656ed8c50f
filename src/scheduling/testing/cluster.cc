// SPDX-License-Identifier: Apache-2.0
#include "scheduling/testing/cluster.h"

#include <algorithm>
#include <stdexcept>

#include "base/check.h"
#include "model/generations.h"
#include "model/labels.h"
#include "scheduling/check/check_solution.h"
#include "scheduling/solver.h"

namespace tenon::scheduling::testing {
namespace {

using model::testing::kNow;

model::Condition yes(std::string_view type) { return {std::string(type), "True", std::string(type), "", kNow - 1h, 0}; }

}  // namespace

Cluster::Cluster() : types_(std::make_shared<std::vector<model::InstanceType>>(model::testing::four_types())) {
  snapshot_.now = kNow;
}

Cluster& Cluster::types(std::vector<model::InstanceType> types) {
  types_ = std::make_shared<std::vector<model::InstanceType>>(std::move(types));
  for (PoolView& view : snapshot_.pools) view.types = types_;
  return *this;
}

Cluster& Cluster::pool(model::NodePool pool) {
  snapshot_.pools.push_back({std::make_shared<model::NodePool>(std::move(pool)), types_, ""});
  return *this;
}

Cluster& Cluster::node(const NodeSpec& spec, std::vector<model::Pod> pods) {
  const auto type = std::find_if(types_->begin(), types_->end(), [&](const auto& t) { return t.name == spec.type; });
  CHECK(type != types_->end(), spec.type);
  model::Node node;
  node.meta.name = spec.name;
  node.meta.uid = "uid-" + spec.name;
  node.meta.created_at = kNow - 2h;
  for (const auto& [key, values] : type->labels) node.meta.labels[key] = values.front();
  node.meta.labels[std::string(model::kLabelZone)] = spec.zone;
  node.meta.labels[std::string(model::kLabelCapacityType)] = spec.capacity_type;
  node.meta.labels[std::string(model::kLabelHostname)] = spec.name;
  for (const auto& [key, value] : spec.labels) node.meta.labels[key] = value;
  node.provider_id = "aws:///" + spec.zone + "/i-" + spec.name;
  node.capacity = type->capacity;
  node.allocatable = type->allocatable();
  node.taints = spec.taints;
  node.conditions = {yes("Ready")};
  NodeView view;
  if (spec.managed) {
    const auto [key_of_pool, name_of_pool] = model::pool_label(spec.pool);
    node.meta.labels[std::string(key_of_pool)] = name_of_pool;
    node.meta.labels[std::string(model::kLabelRegistered)] = "true";
    if (spec.initialized) node.meta.labels[std::string(model::kLabelInitialized)] = "true";
    model::NodeClaim claim;
    claim.meta.name = "claim-" + spec.name;
    claim.meta.uid = "uid-claim-" + spec.name;
    claim.meta.created_at = node.meta.created_at;
    claim.meta.labels = node.meta.labels;
    claim.capacity = node.capacity;
    claim.allocatable = node.allocatable;
    claim.provider_id = node.provider_id;
    claim.node_name = spec.name;
    claim.conditions = {yes(model::kLaunched), yes(model::kRegistered)};
    if (spec.initialized) claim.conditions.push_back(yes(model::kInitialized));
    if (spec.consolidatable) claim.conditions.push_back(yes(model::kConsolidatable));
    view.claim = std::make_shared<model::NodeClaim>(std::move(claim));
  }
  view.node = std::make_shared<model::Node>(std::move(node));
  for (model::Pod& pod : pods) {
    pod.node_name = spec.name;
    pod.phase = "Running";
    pod.conditions = {yes("PodScheduled"), yes("Ready")};
    view.pods.edit().push_back(std::make_shared<model::Pod>(std::move(pod)));
  }
  snapshot_.nodes.push_back(std::move(view));
  return *this;
}

Cluster& Cluster::pending(const model::Pod& pod, int replicas) {
  for (int i = 0; i < replicas; ++i) {
    model::Pod copy = pod;
    if (replicas > 1) copy.meta.name += "-" + std::to_string(i);
    copy.meta.uid = "uid-" + copy.meta.name;
    snapshot_.pending.push_back(std::make_shared<model::Pod>(std::move(copy)));
  }
  return *this;
}

Cluster& Cluster::daemon(model::Pod pod_template) {
  model::DaemonSet daemon;
  daemon.meta = pod_template.meta;
  daemon.pod_template = std::move(pod_template);
  snapshot_.daemon_sets.push_back(std::make_shared<model::DaemonSet>(std::move(daemon)));
  return *this;
}

const Snapshot& Cluster::build() {
  const auto by_key = [](const PodPtr& a, const PodPtr& b) { return a->key() < b->key(); };
  std::sort(snapshot_.pending.begin(), snapshot_.pending.end(), by_key);
  std::sort(snapshot_.pools.begin(), snapshot_.pools.end(),
            [](const PoolView& a, const PoolView& b) { return a.pool->meta.name < b.pool->meta.name; });
  std::sort(snapshot_.nodes.begin(), snapshot_.nodes.end(),
            [](const NodeView& a, const NodeView& b) { return a.name() < b.name(); });
  return snapshot_;
}

Solution Cluster::solve(const SolveOptions& options) {
  Solution solution = scheduling::solve(build(), options);
  if (const Status status = check_solution(snapshot_, options, solution); !status) {
    throw std::runtime_error("check_solution: " + status.error().message);
  }
  return solution;
}

std::string launched_types(const Solution& solution) {
  std::map<std::string, int> counts;
  for (const PlannedNode& node : solution.new_nodes) ++counts[node.launch.instance_type];
  std::string text;
  for (const auto& [type, count] : counts) {
    text += (text.empty() ? "" : " ") + type + (count > 1 ? "×" + std::to_string(count) : "");
  }
  return text;
}

}  // namespace tenon::scheduling::testing
