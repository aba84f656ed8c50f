// The solver against a slow one, on clusters drawn from seeds. --gtest_shuffle --gtest_repeat=50 draws more.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "scheduling/reference/brute_force.h"
#include "scheduling/testing/random_cluster.h"

namespace tenon::scheduling {
namespace {

using testing::random_cluster;
using testing::RandomCluster;

constexpr uint64_t kSeeds = 2'000;

// 0, unless --gtest_shuffle draws another: then each repetition has its own.
uint64_t first_seed() { return static_cast<uint64_t>(::testing::UnitTest::GetInstance()->random_seed()) * kSeeds; }

// What solve() reached, as brute_force() says it.
reference::Best reached(const Snapshot& snapshot, const Solution& solution) {
  reference::Best best;
  for (const PodPtr& pod : snapshot.pending) {
    if (solution.unschedulable.contains(pod->key())) ++best.left_behind[pod->priority];
  }
  std::map<std::string, int> weights;
  const int heaviest = reference::heaviest(snapshot);
  for (const PoolView& view : snapshot.pools) weights[view.pool->meta.name] = view.pool->weight;
  for (const PlannedNode& node : solution.new_nodes) {
    best.lightness += (heaviest - weights.at(node.pool)) * static_cast<int64_t>(node.pods.size());
  }
  best.price = solution.price;
  best.nodes = solution.new_nodes.size();
  return best;
}

std::string describe(const reference::Best& best) {
  std::string text = model::format_usd(best.price) + " for " + std::to_string(best.nodes) + " nodes, lightness " +
                     std::to_string(best.lightness) + ", left behind:";
  for (const auto& [priority, pods] : best.left_behind) {
    text += " " + std::to_string(pods) + " of priority " + std::to_string(priority);
  }
  return text;
}

std::string describe(const Solution& solution) {
  std::string text;
  for (const PlannedNode& node : solution.new_nodes) {
    text +=
        node.pool + " " + node.launch.instance_type + " " + node.launch.zone + " " + node.launch.capacity_type + ":";
    for (const std::string& pod : node.pods) text += " " + pod;
    text += "\n";
  }
  for (const auto& [node, pods] : solution.existing) {
    text += node + ":";
    for (const std::string& pod : pods) text += " " + pod;
    text += "\n";
  }
  for (const auto& [pod, why] : solution.unschedulable) text += pod + " stays: " + why.message + "\n";
  return text;
}

// Cluster::solve() checks each solution with check_solution() and throws if it finds fault.
TEST(SolverRandom, OnePodGoesWhereItMay) {
  for (uint64_t seed = first_seed() + 1; seed <= first_seed() + kSeeds; ++seed) {
    RandomCluster c = random_cluster(seed, {.pods = 1});
    if (c.topology || c.limits) continue;
    const Snapshot& snapshot = c.cluster.build();
    const model::Pod& pod = *snapshot.pending.front();
    const auto may = [&](const auto& place) { return reference::feasible(snapshot, pod, place); };
    const Solution s = c.cluster.solve();
    const bool on_node = std::any_of(snapshot.nodes.begin(), snapshot.nodes.end(), may);
    const bool on_new = std::any_of(snapshot.pools.begin(), snapshot.pools.end(), may);
    ASSERT_EQ(!s.existing.empty(), on_node) << "seed " << seed;
    ASSERT_EQ(!s.new_nodes.empty(), on_new && !on_node) << "seed " << seed;
  }
}

TEST(SolverRandom, ReachesTheOptimumOfTinyClusters) {
  for (uint64_t seed = first_seed() + 1; seed <= first_seed() + kSeeds; ++seed) {
    RandomCluster c = random_cluster(seed);
    const Snapshot& snapshot = c.cluster.build();
    const Solution s = c.cluster.solve();
    const reference::Best mine = reached(snapshot, s), best = reference::brute_force(snapshot);
    ASSERT_GE(mine, best) << "seed " << seed << ": " << describe(mine) << " beats " << describe(best) << "\n"
                          << describe(s);
    if (c.limits) continue;  // each node counts as its cheapest type, though a dearer one may use up less of a limit
    EXPECT_EQ(mine, best) << "seed " << seed << ": " << describe(mine) << ", best is " << describe(best) << "\n"
                          << describe(s);
  }
}

TEST(SolverRandom, OrderOfTheInputDoesNotMatter) {
  for (uint64_t seed = first_seed() + 1; seed <= first_seed() + kSeeds; ++seed) {
    RandomCluster c = random_cluster(seed, {.pods = 12});
    const std::string before = describe(c.cluster.solve());
    Snapshot shuffled = c.cluster.build();
    std::reverse(shuffled.pending.begin(), shuffled.pending.end());
    std::reverse(shuffled.daemon_sets.begin(), shuffled.daemon_sets.end());
    for (PoolView& view : shuffled.pools) {
      auto types = *view.types;
      std::rotate(types.begin(), types.begin() + 1, types.end());
      for (auto& type : types) std::reverse(type.offerings.begin(), type.offerings.end());
      view.types = std::make_shared<std::vector<model::InstanceType>>(std::move(types));
    }
    ASSERT_EQ(describe(solve(shuffled, {})), before) << "seed " << seed;
  }
}

// Without limits, spreads and existing nodes: there more choice can lead a plan astray that is not exhaustive.
TEST(SolverRandom, MoreChoiceLeavesNoMorePodsBehind) {
  for (uint64_t seed = first_seed() + 1; seed <= first_seed() + kSeeds; ++seed) {
    RandomCluster c = random_cluster(seed, {.pods = 12});
    if (c.limits || c.topology || c.nodes) continue;
    const Solution before = c.cluster.solve();
    const RandomCluster other = random_cluster(seed + 1'000'000);
    auto types = c.types;
    types.push_back(other.types.front());
    types.back().name = "extra";
    c.cluster.types(types);
    const Solution more = c.cluster.solve();
    ASSERT_LE(more.unschedulable.size(), before.unschedulable.size()) << "seed " << seed << ", one more type";
    for (PodPtr& pod : c.cluster.snapshot().pending) {
      auto relaxed = *pod;
      relaxed.node_selector.clear();
      relaxed.affinity = {};
      pod = std::make_shared<model::Pod>(std::move(relaxed));
    }
    const Solution relaxed = c.cluster.solve();
    ASSERT_LE(relaxed.unschedulable.size(), more.unschedulable.size()) << "seed " << seed << ", no selectors";
  }
}

}  // namespace
}  // namespace tenon::scheduling
