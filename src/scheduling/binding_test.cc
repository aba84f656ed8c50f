// Explanations: without what is named the pod finds a node, without a part of it, it does not. Judged by other means
// than they are made: the plan is carried out on the snapshot, the named fields are taken out of the manifests, and both
// solvers are asked again. SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "model/labels.h"
#include "scheduling/reference/brute_force.h"
#include "scheduling/testing/random_cluster.h"

namespace tenon::scheduling {
namespace {

using model::testing::a_pod;
using model::testing::a_pool;
using model::testing::a_type;
using ::testing::ElementsAre;
using testing::Cluster;
using testing::random_cluster;
using testing::RandomCluster;

const std::string kZone(model::kLabelZone);

// ---- the judge

model::NodeClaim claim_of(const PlannedNode& planned, const model::InstanceType& type) {
  model::NodeClaim claim;
  claim.meta.name = planned.id;
  claim.meta.labels[std::string(model::kLabelNodePool)] = planned.pool;
  claim.capacity = type.capacity;
  claim.allocatable = type.allocatable();
  return claim;
}

NodeView launched(const PlannedNode& planned, const std::vector<model::InstanceType>& types) {
  const auto type =
      std::find_if(types.begin(), types.end(), [&](const auto& t) { return t.name == planned.launch.instance_type; });
  model::Node node;
  const std::string name = "bought-" + planned.id;  // new nodes will be called new-0 again
  node.meta.name = name;
  node.meta.labels = planned.labels;
  for (const auto& [key, values] : type->labels) node.meta.labels[key] = values.front();
  node.meta.labels[kZone] = planned.launch.zone;
  node.meta.labels[std::string(model::kLabelCapacityType)] = planned.launch.capacity_type;
  node.meta.labels[std::string(model::kLabelHostname)] = name;
  node.meta.labels[std::string(model::kLabelRegistered)] = "true";
  node.meta.labels[std::string(model::kLabelInitialized)] = "true";
  node.capacity = type->capacity;
  node.allocatable = type->allocatable();
  node.taints = planned.taints;
  NodeView view;
  view.node = std::make_shared<model::Node>(std::move(node));
  view.claim = std::make_shared<model::NodeClaim>(claim_of(planned, *type));
  return view;
}

// The snapshot with the plan carried out. Its nodes and all pools but one are closed to newcomers.
Snapshot carried_out(const RandomCluster& c, Snapshot snapshot, const Solution& plan, const std::string& open_pool) {
  std::map<std::string, PodPtr> pods;
  for (const PodPtr& pod : snapshot.pending) pods[pod->key()] = pod;
  for (const PlannedNode& planned : plan.new_nodes) {
    snapshot.nodes.push_back(launched(planned, c.types));
    for (const std::string& key : planned.pods) snapshot.nodes.back().pods.push_back(pods.at(key));
  }
  for (NodeView& view : snapshot.nodes) {
    model::Node closed = *view.node;
    closed.taints.push_back({"closed", "", "NoSchedule", {}});
    view.node = std::make_shared<model::Node>(std::move(closed));
    const auto placed = plan.existing.find(view.name());
    if (placed == plan.existing.end()) continue;
    for (const std::string& key : placed->second) view.pods.push_back(pods.at(key));
  }
  for (PoolView& view : snapshot.pools) {
    if (view.pool->meta.name == open_pool) continue;
    model::NodePool closed = *view.pool;
    closed.node_template.taints.push_back({"closed", "", "NoSchedule", {}});
    view.pool = std::make_shared<model::NodePool>(std::move(closed));
  }
  snapshot.pending.clear();
  return snapshot;
}

// "…[2]…[key]" → {"2", "key"}
std::vector<std::string> brackets(const std::string& field) {
  std::vector<std::string> found;
  for (size_t at = field.find('['); at != std::string::npos; at = field.find('[', at + 1)) {
    found.push_back(field.substr(at + 1, field.find(']', at) - at - 1));
  }
  return found;
}

// Pods of the random clusters have one such term at most.
void drop_rule_of(const std::string& owner, Snapshot& world) {
  std::vector<model::PodAffinityTerm> rule;
  for (const NodeView& view : world.nodes) {
    for (const PodPtr& pod : view.pods) {
      if (pod->key() == owner) rule = pod->affinity.required_anti_pods;
    }
  }
  for (NodeView& view : world.nodes) {
    for (PodPtr& pod : view.pods) {
      if (pod->affinity.required_anti_pods != rule) continue;
      model::Pod kinder = *pod;
      kinder.affinity.required_anti_pods.clear();
      pod = std::make_shared<model::Pod>(std::move(kinder));
    }
  }
}

// Takes the fields out of the manifests. What is listed by place is only marked first, so that places stay.
void take_out(const std::vector<std::string>& fields, model::Pod& pod, model::NodePool& pool, Snapshot& world) {
  std::set<size_t> spreads, affinities, antis, requirements;
  bool any_node = false;
  for (const std::string& field : fields) {
    const auto part = brackets(field);
    const auto number = [&](size_t i) { return static_cast<size_t>(std::stoul(part.at(i))); };
    const auto has = [&](const char* text) { return field.find(text) != std::string::npos; };
    if (field.starts_with("pod default/")) {
      drop_rule_of(field.substr(4, field.find(':') - 4), world);
    } else if (has("nodeSelector[")) {
      pod.node_selector.erase(part.at(0));
    } else if (has("nodeAffinity")) {
      any_node = true;  // each term of the random clusters has one expression
    } else if (has("requests[")) {
      pod.requests.set(part.at(1), 0);
    } else if (has("ports[")) {
      pod.host_ports.clear();
    } else if (has("topologySpread")) {
      spreads.insert(number(0));
    } else if (has("podAffinity")) {
      affinities.insert(number(0));
    } else if (has("podAntiAffinity")) {
      antis.insert(number(0));
    } else if (has("taints[")) {
      const model::Taint& taint = pool.node_template.taints.at(number(0));
      pod.tolerations.push_back({taint.key, "Exists", "", "", {}});
    } else if (has("requirements[")) {
      requirements.insert(number(0));
    } else if (has("limits[")) {
      pool.limits.reset();  // of one resource
    } else {
      FAIL() << "an unknown field: " << field;
    }
  }
  const auto keep = [](auto list, const std::set<size_t>& out) {
    decltype(list) left;
    for (size_t i = 0; i < list.size(); ++i) {
      if (!out.contains(i)) left.push_back(list[i]);
    }
    return left;
  };
  pool.node_template.requirements = keep(pool.node_template.requirements, requirements);
  if (any_node) pod.affinity.required_node_terms.clear();
  pod.spread = keep(pod.spread, spreads);
  pod.affinity.required_pods = keep(pod.affinity.required_pods, affinities);
  pod.affinity.required_anti_pods = keep(pod.affinity.required_anti_pods, antis);
}

struct Verdicts {
  bool solver = false, reference = false;
};

Verdicts placeable(Snapshot world, const model::Pod& pod, const std::string& pool_name,
                   const std::vector<std::string>& dropped) {
  model::Pod asks = pod;
  for (PoolView& view : world.pools) {
    if (view.pool->meta.name != pool_name) continue;
    model::NodePool pool = *view.pool;
    take_out(dropped, asks, pool, world);
    view.pool = std::make_shared<model::NodePool>(std::move(pool));
    break;
  }
  world.pending = {std::make_shared<model::Pod>(std::move(asks))};
  Verdicts verdicts;
  const Solution s = solve(world, {});
  const Status valid = check_solution(world, {}, s);
  EXPECT_TRUE(valid) << valid.error().message;
  verdicts.solver = s.new_nodes.size() == 1;
  verdicts.reference = reference::brute_force(world).left_behind.empty();
  return verdicts;
}

// ---- what is judged

struct Tally {
  int pods = 0, sets = 0, of_several = 0, without_a_name = 0;
};

void judge(const RandomCluster& c, const Snapshot& snapshot, const Solution& plan, const PodPtr& pod, uint64_t seed,
           Tally& tally) {
  std::map<std::string, std::vector<std::string>> by_pool;
  for (const Reason& reason : plan.unschedulable.at(pod->key()).reasons) {
    by_pool[reason.subject].push_back(reason.field);
    EXPECT_NE(reason.detail, "");
  }
  EXPECT_EQ(by_pool.size(), snapshot.pools.size());
  ++tally.pods;
  for (const auto& [pool, fields] : by_pool) {
    if (fields.front().empty()) {
      ++tally.without_a_name;
      continue;
    }
    ++tally.sets;
    tally.of_several += fields.size() > 1 ? 1 : 0;
    const Snapshot world = carried_out(c, snapshot, plan, pool);
    for (size_t bits = 0; bits < size_t{1} << fields.size(); ++bits) {
      std::vector<std::string> part;
      for (size_t i = 0; i < fields.size(); ++i) {
        if ((bits >> i & 1U) != 0) part.push_back(fields[i]);
      }
      const bool all = part.size() == fields.size();
      const Verdicts verdicts = placeable(world, *pod, pool, part);
      const std::string what = "seed " + std::to_string(seed) + ", " + pod->key() + " in " + pool + " without " +
                               ::testing::PrintToString(part) + " of " + ::testing::PrintToString(fields);
      EXPECT_EQ(verdicts.solver, all) << what;
      EXPECT_EQ(verdicts.reference, all) << what;
    }
  }
}

constexpr int kPods = 200;

TEST(Binding, NamesAnIrreducibleSetForRandomPods) {
  Tally tally;
  for (uint64_t seed = 1; tally.pods < kPods; ++seed) {
    RandomCluster c = random_cluster(seed, {.pods = 10, .kinds = 4, .types = 3, .pools = 3});
    const Snapshot snapshot = c.cluster.build();
    const Solution plan = c.cluster.solve({.explain = true});
    std::set<std::string> kinds;  // pods of one shape have one explanation
    for (const PodPtr& pod : snapshot.pending) {
      if (!plan.unschedulable.contains(pod->key()) || !kinds.insert(pod->meta.labels.at("app")).second) continue;
      judge(c, snapshot, plan, pod, seed, tally);
    }
  }
  EXPECT_GT(tally.of_several, kPods / 4);
  EXPECT_EQ(tally.without_a_name, 0);
}

}  // namespace
}  // namespace tenon::scheduling
