// The answers of WhatIf equal those of solve() from scratch, and check_solution accepts them.
// SPDX-License-Identifier: Apache-2.0
#include "scheduling/what_if/what_if.h"

#include <gtest/gtest.h>

#include "scheduling/check/check_solution.h"
#include "scheduling/input/solution.h"
#include "scheduling/input/solve_options.h"
#include "scheduling/solver.h"
#include "scheduling/testing/carry_out.h"
#include "scheduling/testing/drawn_cluster.h"

namespace tenon::scheduling {
namespace {

using testing::RandomSizes;

constexpr uint64_t kSeeds = 400, kDrawnSeeds = 1'500;
constexpr size_t kAnyNumber = 1'000;
constexpr RandomSizes kMedium{.pods = 24, .kinds = 5, .types = 4, .pools = 3, .nodes = 3};
constexpr RandomSizes kByNode{.pods = 24, .kinds = 5, .types = 4, .pools = 3, .nodes = 3, .by_node = true};

// A cluster that runs the plan for it without some of the pods; no pod is pending.
Snapshot running(uint64_t seed, const Snapshot& before, SolveOptions options) {
  options.improvement_steps = 0;
  Snapshot snapshot = testing::carry_out(before, solve(before, options), "up-");
  snapshot.pending.clear();
  Prng prng(seed);
  for (NodeView& view : snapshot.nodes) {
    std::erase_if(view.pods.edit(), [&](const PodPtr&) { return prng.chance(1, 3); });
  }
  std::sort(snapshot.nodes.begin(), snapshot.nodes.end(),
            [](const NodeView& a, const NodeView& b) { return a.name() < b.name(); });
  return snapshot;
}

Snapshot running(uint64_t seed, const RandomSizes& sizes) {
  testing::RandomCluster drawn = testing::random_cluster(seed, sizes);
  return running(seed, drawn.cluster.build(), {});
}

std::vector<std::string> managed(const Snapshot& snapshot) {
  std::vector<std::string> names;
  for (const NodeView& view : snapshot.nodes) {
    if (view.managed()) names.push_back(view.name());
  }
  return names;
}

SolveOptions plain() {
  SolveOptions options;
  options.improvement_steps = 0;
  options.gone_nodes_are_domains = true;
  return options;
}

std::string verdict(bool all, size_t nodes, model::Price price) {
  return all ? std::to_string(nodes) + " new for " + model::format_usd(price) : "not all placed";
}

// Returns the difference between the answer and a plan from scratch, or "".
std::string differs(WhatIf& world, const Snapshot& snapshot, const std::vector<std::string>& names,
                    const std::set<std::string>& closed, std::optional<model::Price> below) {
  SolveOptions options = plain();
  options.removed_nodes = names;
  options.closed_nodes.assign(closed.begin(), closed.end());
  options.launch_below = below;
  const Solution scratch = solve(snapshot, options);
  std::vector<size_t> nodes;
  for (const std::string& name : names) nodes.push_back(*world.find(name));
  const model::Price bound = world.price_bound(world.needs(nodes), below);
  const WhatIf::Answer answer = world.without(nodes, {.most = kAnyNumber, .below = below});
  const std::string mine = verdict(answer.all_placed, answer.new_nodes, answer.price);
  const std::string theirs = verdict(scratch.unschedulable.empty(), scratch.new_nodes.size(), scratch.price);
  // Under limits, nodes that are too large from the start and nodes that become so differ: each plan is a valid one.
  const bool limited = std::any_of(snapshot.pools.begin(), snapshot.pools.end(),
                                   [](const PoolView& view) { return view.pool->limits.has_value(); });
  if (mine != theirs && !limited) return "what if: " + mine + "; from scratch: " + theirs;
  if (!answer.all_placed) return "";
  if (bound > answer.price) return "the bound is above the price";
  if (below) return "";  // with a price cap, the caller judges the remaining offerings
  Solution whole;
  whole.existing = world.moved_to_nodes();
  whole.new_nodes = world.nodes_to_launch(std::nullopt);
  for (const PlannedNode& node : whole.new_nodes) whole.price += node.launch.price;
  const Status valid = check_solution(snapshot, options, whole);
  return valid ? "" : valid.error().message;
}

class WhatIfShard : public ::testing::TestWithParam<const RandomSizes*> {};

TEST_P(WhatIfShard, AnswersAsSolveDoesFromScratch) {
  size_t asked = 0;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Snapshot snapshot = running(seed, *GetParam());
    const std::vector<std::string> names = managed(snapshot);
    std::set<std::string> closed;
    if (seed % 3 == 0 && !snapshot.nodes.empty()) closed.insert(snapshot.nodes.front().name());
    WhatIf world(snapshot, plain(), names, closed);
    for (size_t i = 0; i < names.size(); ++i) {
      if (closed.contains(names[i])) continue;
      std::vector<std::string> some{names[i]};
      for (const std::optional<model::Price> below :
           {std::optional<model::Price>(), std::optional(model::Price(model::kPicoPerUsd / 10))}) {
        ASSERT_EQ(differs(world, snapshot, some, closed, below), "") << "seed " << seed << " without " << names[i];
        ++asked;
      }
      if (i + 1 == names.size() || closed.contains(names[i + 1])) continue;
      some.push_back(names[i + 1]);
      ASSERT_EQ(differs(world, snapshot, some, closed, {}), "") << "seed " << seed << " without two from " << names[i];
    }
    std::vector<std::string> open = names;  // many nodes: the bound counts the room of the others
    std::erase_if(open, [&](const std::string& name) { return closed.contains(name); });
    open.resize(open.size() - open.size() / 4);
    ASSERT_EQ(differs(world, snapshot, open, closed, {}), "") << "seed " << seed << " without " << open.size();
  }
  EXPECT_GT(asked, kSeeds);
}

// Pods that moved earlier and pods that move now may arrive in any order: all moves together are one valid plan.
TEST_P(WhatIfShard, LaterAnswersHoldBesideThoseThatWereCarriedOut) {
  size_t asked = 0;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Snapshot snapshot = running(seed, *GetParam());
    const std::vector<std::string> names = managed(snapshot);
    WhatIf world(snapshot, plain(), names, {});
    SolveOptions options = plain();
    Solution whole;
    const auto add = [&](Solution to, const std::string& gone) {
      for (const auto& [node, keys] : world.moved_to_nodes()) {
        auto& all = to.existing[node];
        all.insert(all.end(), keys.begin(), keys.end());
        std::sort(all.begin(), all.end());
      }
      to.new_nodes = world.nodes_to_launch(std::nullopt);
      for (const PlannedNode& node : to.new_nodes) to.price += node.launch.price;
      SolveOptions without = options;
      without.removed_nodes.push_back(gone);
      const Status valid = check_solution(snapshot, without, to);
      EXPECT_TRUE(valid) << "seed " << seed << " without " << gone << ": " << valid.error().message;
      return to;
    };
    for (const std::string& name : names) {
      const size_t node = *world.find(name);
      if (world.settled(node) || !world.without(std::vector{node}, {}).all_placed) continue;
      whole = add(std::move(whole), name);
      options.removed_nodes.push_back(name);
      world.commit();
      for (const std::string& other : names) {
        if (world.settled(*world.find(other))) continue;
        if (!world.without(std::vector{*world.find(other)}, {.most = kAnyNumber}).all_placed) continue;
        add(whole, other);
        ++asked;
      }
      ASSERT_FALSE(HasFailure());
    }
  }
  EXPECT_GT(asked, kSeeds / 10);
}

// Spreads with minDomains, matchLabelKeys, node policies and other keys than the zone, volumes, preferences.
TEST(WhatIf, AnswersAreValidWhereEveryRuleMeetsEveryOtherOne) {
  size_t moved = 0;
  for (uint64_t seed = 1; seed <= kDrawnSeeds; ++seed) {
    const testing::DrawnCluster drawn = testing::drawn_cluster(seed, kMedium);
    const Snapshot snapshot = running(seed, drawn.snapshot, drawn.options);
    SolveOptions options = drawn.options;
    options.gone_nodes_are_domains = true;
    const std::vector<std::string> names = managed(snapshot);
    WhatIf world(snapshot, options, names, {});
    for (const std::string& name : names) {
      const size_t node = *world.find(name);
      if (world.pods_of(node).empty()) continue;
      for (const bool cheap : {false, true}) {
        WhatIf::Offer offer{.most = kAnyNumber};
        if (cheap) offer.below = model::Price(model::kPicoPerUsd / 10);
        if (!world.without(std::vector{node}, offer).all_placed) continue;
        Solution whole{.new_nodes = world.nodes_to_launch(std::nullopt), .existing = world.moved_to_nodes()};
        for (const PlannedNode& planned : whole.new_nodes) whole.price += planned.launch.price;
        options.removed_nodes = {name};
        const Status valid = check_solution(snapshot, options, whole);
        ASSERT_TRUE(valid) << "seed " << seed << " without " << name << ": " << valid.error().message;
        ++moved;
      }
    }
  }
  EXPECT_GT(moved, kDrawnSeeds / 2);
}

INSTANTIATE_TEST_SUITE_P(Clusters, WhatIfShard, ::testing::Values(&kMedium, &kByNode));

// Pods of one kind can swap places, so that no order leaves one out; pods of several kinds cannot.
TEST(WhatIf, KubeSchedulerLeavesNoPodOutWhereAllAreOfOneKind) {
  size_t left_out[2] = {};
  for (const bool one_kind : {true, false}) {
    for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
      const RandomSizes sizes{.pods = 24, .kinds = one_kind ? 1 : 5, .types = 4, .pools = 1, .nodes = 3};
      const Snapshot snapshot = running(seed, sizes);
      const std::vector<std::string> names = managed(snapshot);
      WhatIf world(snapshot, plain(), names, {});
      for (const std::string& name : names) {
        const std::vector<size_t> node{*world.find(name)};
        if (!world.without(node, {.most = kAnyNumber}).all_placed) continue;
        left_out[one_kind ? 0 : 1] += world.forecast_unschedulable({}).empty() ? 0 : 1;
      }
    }
  }
  EXPECT_EQ(left_out[0], 0);
  EXPECT_GT(left_out[1], 0);
}

}  // namespace
}  // namespace tenon::scheduling
