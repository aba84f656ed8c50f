// The solver and the reference agree: on every cluster of a small grid, on 100,000 drawn from seeds, on 20,000 whose
// pods depend on each other, on 10,000 whose volumes bind pods to zones, and on the removal of a node of such a cluster
// (`./run fuzz-solver` draws a million others).
// SPDX-License-Identifier: Apache-2.0
#include "scheduling/testing/agreement.h"

#include <gtest/gtest.h>

#include "model/labels.h"
#include "scheduling/solver.h"
#include "scheduling/testing/tiny_clusters.h"

namespace tenon::scheduling::testing {
namespace {

constexpr size_t kShards = 20;
constexpr uint64_t kSeeds = 100'000, kSeedsOfNodes = 40'000, kSeedsOfTied = 20'000, kSeedsOfVolumes = 10'000;

class Agreement : public ::testing::TestWithParam<size_t> {};

TEST_P(Agreement, OnRandomClusters) {
  for (uint64_t seed = 1 + GetParam(); seed <= kSeeds; seed += kShards) {
    ASSERT_EQ(compare_random(seed), "") << "seed " << seed;
  }
}

TEST_P(Agreement, OnNodesThatGo) {
  int asked = 0;
  for (uint64_t seed = 1 + GetParam(); seed <= kSeedsOfNodes; seed += kShards) {
    ASSERT_EQ(compare_what_if(seed, asked), "") << "seed " << seed;
  }
  EXPECT_GT(asked, static_cast<int>(kSeedsOfNodes / kShards / 2));
}

TEST_P(Agreement, OnPodsThatDependOnEachOther) {
  for (uint64_t seed = 1 + GetParam(); seed <= kSeedsOfTied; seed += kShards) {
    ASSERT_EQ(compare_tied(seed), "") << "seed " << seed;
  }
}

TEST_P(Agreement, OnPodsWithBoundVolumes) {
  for (uint64_t seed = 1 + GetParam(); seed <= kSeedsOfVolumes; seed += kShards) {
    ASSERT_EQ(compare_bound_volumes(seed), "") << "seed " << seed;
  }
}

TEST_P(Agreement, OnEveryTinyCluster) {
  for (size_t number = GetParam(); number < tiny_clusters(); number += kShards) {
    Cluster cluster = tiny_cluster(number);
    const Snapshot& snapshot = cluster.build();
    ASSERT_EQ(compare_pairs(snapshot), "") << "number " << number;
    ASSERT_EQ(compare_optimum(snapshot), "") << "number " << number;
  }
}

INSTANTIATE_TEST_SUITE_P(Shards, Agreement, ::testing::Range(size_t{0}, kShards));

// A spread counts no pod on a node that its own pods may not use: the pod in za does not make za a domain.
TEST(Agreement, ASpreadLooksAtNewNodesThatItsPodsMayUse) {
  const std::string zone(model::kLabelZone);
  Cluster c;
  const auto type = model::testing::a_type("t").cpu("8").memory("32Gi").offer("za", "on-demand", "0.1");
  c.types({model::testing::TypeBuilder(type).offer("zc", "on-demand", "0.2").build()});
  c.pool(model::testing::a_pool("default").build());
  const auto web = [&] { return model::testing::a_pod("web").cpu("100m").label("app", "web"); };
  const auto spread = [&] { return web().select(zone, "zc").spread(zone, "web", 2); };
  std::vector<model::Pod> running(4, spread().build());
  for (size_t i = 0; i < running.size(); ++i) running[i].meta.name += "-old-" + std::to_string(i);
  c.node({.name = "node-0", .type = "t", .zone = "zc"}, running);
  c.pending(spread().build());
  model::Pod elsewhere = web().select(zone, "za").build();
  elsewhere.meta.name = "elsewhere";
  c.pending(elsewhere);
  EXPECT_EQ(compare_optimum(c.build()), "");
  EXPECT_TRUE(c.solve().unschedulable.empty());
}

// Clusters on which they once differed: the weight of a pool that a pod cannot use counted against plans; cheap nodes
// used limits up; the search ended too early, or did not try nodes that a spread does not count.
TEST(Agreement, OnClustersThatOnceDiffered) {
  constexpr RandomSizes kLarger{.pods = 20, .kinds = 6, .types = 6, .nodes = 3, .by_node = true};
  for (const uint64_t seed : {30'000'303'588u, 30'000'262'763u, 51'000'037'956u})
    EXPECT_EQ(compare_first_fit(seed, kLarger), "") << seed;
  // A node releases limits that allow an earlier node a cheaper type.
  EXPECT_EQ(compare_first_fit(202'611'270'275'656, kLarger), "");
  EXPECT_EQ(compare_bound_volumes(30'000'250'651), "");
  int asked = 0;
  // In the last one, two partial plans differ only in the side of a spread that their nodes are on.
  for (const uint64_t seed : {51'000'010'348ull, 51'000'010'423ull, 51'000'024'342ull, 202'611'270'057'475ull})
    EXPECT_EQ(compare_what_if(seed, asked), "") << seed;
  // Pods of one class are on two nodes: a spread that considers some types only counts those of one node.
  constexpr RandomSizes kDrawn{.pods = 14, .kinds = 4, .types = 4, .pools = 3, .nodes = 3};
  EXPECT_EQ(compare_drawn(202'611'260'204'461, kDrawn), "");
}

TEST(Agreement, TheGridIsNotSmall) { EXPECT_GT(tiny_clusters(), 30'000u); }

// The checker can reject a plan.
TEST(Agreement, ADearerPlanIsNotTheBest) {
  Cluster cluster = tiny_cluster(0);
  cluster.pending(model::testing::a_pod("p").cpu("400m").build());
  const Snapshot& snapshot = cluster.build();
  reference::Best mine = reached(snapshot, solve(snapshot, {}));
  EXPECT_EQ(reference::brute_force(snapshot, mine), mine);
  const model::Price right = mine.price;
  mine.price = right + model::Price(1);
  EXPECT_LT(*reference::brute_force(snapshot, mine), mine);
  mine.price = right - model::Price(1);
  EXPECT_FALSE(reference::brute_force(snapshot, mine).has_value());
}

}  // namespace
}  // namespace tenon::scheduling::testing
