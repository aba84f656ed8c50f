// Properties of every solution, on clusters drawn from seeds.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "model/labels.h"
#include "scheduling/check/check_solution.h"
#include "scheduling/input/solution.h"
#include "scheduling/input/solve_options.h"
#include "scheduling/solver.h"
#include "scheduling/testing/agreement.h"
#include "scheduling/testing/carry_out.h"
#include "scheduling/testing/drawn_cluster.h"
#include "scheduling/testing/missed_placement.h"

namespace tenon::scheduling::testing {
namespace {

constexpr size_t kShards = 4;
constexpr uint64_t kSeeds = 4'000;
constexpr RandomSizes kMedium{.pods = 14, .kinds = 4, .types = 4, .pools = 3, .nodes = 3};

class Promise : public ::testing::TestWithParam<size_t> {
 protected:
  // Calls back with each seed of this shard.
  template <class Visit>
  void for_seeds(Visit visit, uint64_t seeds = kSeeds) {
    for (uint64_t seed = 1 + GetParam(); seed <= seeds && !HasFailure(); seed += kShards) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      visit(seed);
    }
  }
};

Solution checked(const Snapshot& snapshot, const SolveOptions& options = {}) {
  Solution solution = solve(snapshot, options);
  const Status valid = check_solution(snapshot, options, solution);
  EXPECT_TRUE(valid) << valid.error().message;
  return solution;
}

// Returns every field, as bytes.
std::string bytes(const Solution& s) {
  std::string text = describe(s) + model::format_usd(s.price) + " after " + std::to_string(s.steps) + " steps\n";
  for (const PlannedNode& node : s.new_nodes) {
    text += node.id + " " + node.launch.zone_id + " " + node.launch.reservation_id;
    for (const auto& [name, amount] : node.requests.entries()) text += " " + name + "=" + std::to_string(amount);
    for (const auto& [key, r] : node.requirements.by_key()) text += " " + r.to_string();
    for (const auto& [key, value] : *node.labels) text += " " + key + "=" + value;
    for (const auto& taint : node.taints) text += " " + to_string(taint);
    for (const auto& type : node.instance_types) text += " " + type;
    for (const auto& relaxed : *node.relaxed) text += " " + relaxed;
    for (const RunnerUp& r : node.runners_up) text += " " + r.instance_type + " " + r.constraint + " " + r.detail;
    text += "\n";
  }
  for (const auto& [pod, why] : s.unschedulable) {
    for (const Reason& r : why.reasons) text += pod + " " + r.subject + " " + r.detail + " " + r.field + "\n";
  }
  return text;
}

PodPtr changed(const PodPtr& pod, auto change) {
  model::Pod copy = *pod;
  change(copy);
  return std::make_shared<model::Pod>(std::move(copy));
}

void change_pools(Snapshot& snapshot, auto change) {
  for (PoolView& view : snapshot.pools) {
    model::NodePool pool = *view.pool;
    change(pool);
    view.pool = std::make_shared<model::NodePool>(std::move(pool));
  }
}

Snapshot shuffled(Snapshot snapshot, uint64_t seed) {
  Prng prng(seed);
  const auto shuffle = [&](auto& list) {
    for (size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[prng.below(i)]);
  };
  shuffle(snapshot.pending);
  shuffle(snapshot.pools);
  shuffle(snapshot.nodes);
  shuffle(snapshot.daemon_sets);
  for (NodeView& view : snapshot.nodes) shuffle(view.pods.edit());
  for (PoolView& view : snapshot.pools) {
    auto types = *view.types;
    shuffle(types);
    for (auto& type : types) shuffle(type.offerings);
    view.types = std::make_shared<std::vector<model::InstanceType>>(std::move(types));
  }
  return snapshot;
}

TEST_P(Promise, EqualInputGivesEqualBytesWhateverItsOrder) {
  for_seeds([](uint64_t seed) {
    RandomCluster c = random_cluster(seed, kMedium);
    const SolveOptions options{.explain = seed % 8 == 0, .runners_up = 5};
    const Snapshot& snapshot = c.cluster.build();
    const std::string before = bytes(checked(snapshot, options));
    ASSERT_EQ(bytes(solve(snapshot, options)), before);
    ASSERT_EQ(bytes(solve(shuffled(snapshot, seed), options)), before);
  });
}

TEST_P(Promise, SoItDoesWhereEveryRuleMeetsEveryOtherOne) {
  for_seeds([](uint64_t seed) {
    const DrawnCluster drawn = drawn_cluster(seed, kMedium);
    SolveOptions options = drawn.options;
    options.explain = seed % 8 == 0;
    ASSERT_EQ(bytes(solve(shuffled(drawn.snapshot, seed), options)), bytes(checked(drawn.snapshot, options)));
  });
}

// Without topology: check_solution() reads the final state only, and a spread must be even after every arrival.
TEST_P(Promise, NoPodIsLeftBehindThatWouldStillFit) {
  for_seeds([](uint64_t seed) {
    RandomCluster c = random_cluster(seed, kMedium);
    if (c.topology) return;
    const Snapshot& snapshot = c.cluster.build();
    ASSERT_EQ(missed_placement(snapshot, {}, checked(snapshot)), "");
  });
}

// The limit of the cluster's size holds beside all other rules, and changes nothing if it does not bind.
TEST_P(Promise, TheClusterStaysWithinItsSize) {
  for_seeds([](uint64_t seed) {
    DrawnCluster drawn = drawn_cluster(seed, kMedium);
    drawn.options.explain = false;
    const Solution free = checked(drawn.snapshot, drawn.options);
    drawn.options.max_nodes = drawn.snapshot.size() + static_cast<int64_t>(drawn.snapshot.pending.size());
    ASSERT_EQ(bytes(checked(drawn.snapshot, drawn.options)), bytes(free));
    if (free.new_nodes.empty()) return;
    drawn.options.max_nodes = drawn.snapshot.size() + static_cast<int64_t>(seed % free.new_nodes.size());
    const Solution fewer = checked(drawn.snapshot, drawn.options);
    ASSERT_LE(drawn.snapshot.size() + static_cast<int64_t>(fewer.new_nodes.size()), *drawn.options.max_nodes);
  });
}

TEST_P(Promise, WithinItsSizeNoPodIsLeftBehindThatWouldStillFit) {
  for_seeds([](uint64_t seed) {
    RandomCluster c = random_cluster(seed, kMedium);
    if (c.topology) return;
    const Snapshot& snapshot = c.cluster.build();
    const SolveOptions options{.max_nodes = snapshot.size() + static_cast<int64_t>(seed % 3)};
    ASSERT_EQ(missed_placement(snapshot, options, checked(snapshot, options)), "");
  });
}

// Without limits, topology and existing nodes: with them, more choice can lead a heuristic to a worse plan.
TEST_P(Promise, MoreChoiceLeavesNoMorePodsBehind) {
  for_seeds([](uint64_t seed) {
    RandomCluster c = random_cluster(seed, kMedium);
    if (c.limits || c.topology || c.nodes) return;
    Snapshot snapshot = c.cluster.build();
    size_t left = checked(snapshot).unschedulable.size();
    const auto no_more_than_before = [&](const char* what) {
      const size_t now = checked(snapshot).unschedulable.size();
      EXPECT_LE(now, left) << what;
      left = now;
    };
    auto types = c.types;
    types.push_back(random_cluster(seed + 1'000'000).types.front());
    types.back().name = "extra";
    const auto all = std::make_shared<std::vector<model::InstanceType>>(std::move(types));
    for (PoolView& view : snapshot.pools) view.types = all;
    no_more_than_before("one more type");
    for (PodPtr& pod : snapshot.pending) pod = changed(pod, [](model::Pod& p) { p.spec.edit().node_selector.clear(); });
    no_more_than_before("no node selectors");
    for (PodPtr& pod : snapshot.pending) pod = changed(pod, [](model::Pod& p) { p.spec.edit().affinity = {}; });
    no_more_than_before("no node affinity");
    change_pools(snapshot, [](model::NodePool& pool) { pool.node_template.taints.clear(); });
    no_more_than_before("no taints");
    change_pools(snapshot, [](model::NodePool& pool) { pool.node_template.requirements.clear(); });
    no_more_than_before("no requirements of the pools");
    for (PodPtr& pod : snapshot.pending) {
      pod = changed(
          pod, [](model::Pod& p) { p.spec.edit().requests.set(model::kCpu, p.spec->requests.get(model::kCpu) / 2); });
    }
    no_more_than_before("half the cpu");
    snapshot.daemon_sets.clear();
    no_more_than_before("no daemons");
  });
}

// The nodes that the first call launched exist when the second one runs.
TEST_P(Promise, TwoCallsBreakNoRuleBetweenThem) {
  for_seeds([](uint64_t seed) {
    RandomCluster c = random_cluster(seed, kMedium);
    Snapshot first = c.cluster.build(), second;
    std::vector<PodPtr> later;
    for (size_t i = first.pending.size(); i-- > 0;) {
      if (i % 2 != seed % 2) continue;
      later.push_back(first.pending[i]);
      first.pending.erase(first.pending.begin() + static_cast<std::ptrdiff_t>(i));
    }
    second = carry_out(first, checked(first), "first-");
    second.pending.insert(second.pending.end(), later.rbegin(), later.rend());
    const Solution more = checked(second);
    for (const auto& [name, pods] : more.existing) EXPECT_FALSE(pods.empty()) << name;
    for (const PoolView& view : second.pools) {
      if (!view.pool->limits) continue;
      model::Resources used;
      const Snapshot after = carry_out(second, more, "second-");
      for (const NodeView& node : after.nodes) {
        if (node.pool() == view.pool->meta.name) used += node.capacity();
      }
      const bool bought = std::any_of(more.new_nodes.begin(), more.new_nodes.end(),
                                      [&](const auto& n) { return n.pool == view.pool->meta.name; });
      for (const auto& [name, limit] : view.pool->limits->entries()) {
        EXPECT_TRUE(!bought || used.get(name) <= limit) << name;
      }
    }
  });
}

// As many pods placed, from NodePools of equal weight, and then never more expensive.
TEST_P(Promise, NeverDearerThanFirstFitDecreasing) {
  for (const bool by_node : {false, true}) {
    for (const int size : {1, 3, 8, 20, 60, 150}) {
      const RandomSizes sizes{.pods = size, .kinds = 6, .types = 6, .pools = 2, .nodes = 3, .by_node = by_node};
      const uint64_t first = static_cast<uint64_t>(size) * 1'000'000;
      for_seeds([&](uint64_t seed) { ASSERT_EQ(compare_first_fit(first + seed, sizes), ""); }, size > 20 ? 100 : 400);
    }
  }
}

TEST_P(Promise, TheBoundIsNoMoreThanThePriceOfAnyPlan) {
  for_seeds([](uint64_t seed) {
    ASSERT_EQ(compare_drawn(seed, kMedium), "");
    RandomCluster c = random_cluster(seed, kMedium);
    const Snapshot& snapshot = c.cluster.build();
    ASSERT_EQ(compare_bound(snapshot, {}, solve(snapshot, {})), "");
  });
}

// Returns a label of the planned node, or of one of its instance types, that contradicts the NodePool; empty if there
// is none. check_solution() compares labels with the node's requirements, this test with the NodePool.
std::string false_label(const PlannedNode& node, const model::InstanceType& type, const model::NodePool& pool) {
  const auto& of_type = type.labels;
  for (const auto& [key, value] : *node.labels) {
    const auto at = of_type.find(key);
    if (at != of_type.end() && at->second != std::vector{value}) return key + "=" + value + " on " + type.name;
  }
  for (const model::RequirementSpec& spec : pool.node_template.requirements) {
    if (spec.key == model::kLabelZone || spec.key == model::kLabelCapacityType) continue;  // of the offering
    const model::Requirement wanted = *model::Requirement::make(spec);
    const auto own = node.labels->find(spec.key);
    const auto at = of_type.find(spec.key);
    std::vector<std::string> values = at == of_type.end() ? std::vector<std::string>{} : at->second;
    if (own != node.labels->end()) values = {own->second};
    const bool holds = values.empty()
                           ? wanted.tolerates_absence()
                           : std::any_of(values.begin(), values.end(), [&](const auto& v) { return wanted.allows(v); });
    if (!holds) return spec.key + " of " + type.name + " is not what " + pool.meta.name + " requires";
  }
  if (model::lookup(*node.labels, model::kLabelNodePool) != pool.meta.name) return "another NodePool";
  return model::lookup(*node.labels, model::kLabelNodeClass) == "default" ? "" : "another node class";
}

TEST_P(Promise, LabelsAreTrueOfEveryTypeThatANodeMayBe) {
  int bounded = 0;
  for_seeds([&](uint64_t seed) {
    const DrawnCluster drawn = drawn_cluster(seed, kMedium);
    for (const PlannedNode& node : checked(drawn.snapshot, drawn.options).new_nodes) {
      const auto& pools = drawn.snapshot.pools;
      const auto view =
          std::find_if(pools.begin(), pools.end(), [&](const auto& v) { return v.pool->meta.name == node.pool; });
      const auto& requirements = view->pool->node_template.requirements;
      bounded += std::any_of(requirements.begin(), requirements.end(),
                             [](const auto& r) { return r.key.starts_with("karpenter.k8s.aws/instance-cpu"); });
      for (const std::string& name : node.instance_types) {
        const auto type =
            std::find_if(view->types->begin(), view->types->end(), [&](const auto& t) { return t.name == name; });
        ASSERT_EQ(false_label(node, *type, *view->pool), "");
      }
    }
  });
  EXPECT_GT(bounded, 100);
}

// In the first two, a pod that may use any offering shares a node with pods that restrict it to one capacity type. In
// the third, a pod that the spread counts is on a planned node of a capacity type that the spread's own pods do not
// allow.
TEST(ASpread, CountsThePodsOfANodeByWhatTheNodeCanBe) {
  for (const uint64_t seed : {700'012'656u, 700'030'928u, 700'040'441u})
    EXPECT_EQ(compare_drawn(seed, kMedium), "") << seed;
}

// A spread counts some instance types only. Pods that it counts are on nodes that could have become such a type when
// the pods were placed, and could no longer after more pods.
TEST(ASpread, CountsPodsForGood) {
  for (const uint64_t seed : {30'000'255'552u, 30'000'321'943u, 40'000'150'072u, 41'000'045'838u, 51'000'636'018u})
    EXPECT_EQ(compare_drawn(seed, kMedium), "") << seed;
}

// minDomains: a zone with pods of others only is a domain of a spread that ignores node affinity.
TEST(ASpread, CountsTheDomainsOfPlannedNodes) { EXPECT_EQ(compare_drawn(30'000'236'628, kMedium), ""); }

INSTANTIATE_TEST_SUITE_P(Shards, Promise, ::testing::Range(size_t{0}, kShards));

}  // namespace
}  // namespace tenon::scheduling::testing
