// The moves that the search finds in addition to Karpenter's, and the cost of the search. c5.large ($0.085) holds 3 of
// these pods, m5.large ($0.096) 6, m5.xlarge ($0.192) 13, r5.large ($0.126) 14.
// SPDX-License-Identifier: Apache-2.0
#include "disruption/search.h"

#include <gtest/gtest.h>

#include "base/prng.h"
#include "disruption/projected_cluster.h"
#include "disruption/validation.h"
#include "scheduling/testing/cluster.h"

namespace tenon::disruption {
namespace {

using model::testing::a_pod;
using model::testing::a_type;
using model::testing::PoolBuilder;
using scheduling::Snapshot;
using scheduling::testing::Cluster;

std::vector<model::Pod> pods(const std::string& node, int count) {
  std::vector<model::Pod> all;
  for (int i = 0; i < count; ++i) {
    all.push_back(
        a_pod(node + "-" + std::to_string(i)).memory("1Gi").owner("ReplicaSet", "web").running_on(node).build());
  }
  return all;
}

PoolBuilder on_demand() {
  return PoolBuilder("default").require("karpenter.sh/capacity-type", {"on-demand"}).budget("100%");
}

PoolBuilder of_types(std::vector<std::string> types) {
  return on_demand().require("node.kubernetes.io/instance-type", std::move(types));
}

std::string text(const std::vector<Move>& moves) {
  std::string text;
  for (const Move& move : moves) {
    for (const auto& name : move.nodes) text += name + " ";
    text += "->";
    for (const auto& node : move.replacements) text += " " + node.launch.instance_type;
    text += " saves " + model::format_usd(move.savings) + "; ";
  }
  return text;
}

std::string found(Cluster& cluster) { return text(decide_disruption(cluster.build(), {}).moves); }

// So many r5.large nodes, with so many pods each.
Snapshot cluster_of(int nodes, int pods_each) {
  Cluster c;
  c.pool(on_demand().build());
  for (int i = 0; i < nodes; ++i) {
    const std::string name = "node-" + std::to_string(100 + i);
    c.node({.name = name, .type = "r5.large"}, pods(name, pods_each));
  }
  return c.build();
}

TEST(Search, ALargeNodeBecomesTwoSmallOnes) {
  Cluster c;
  c.pool(of_types({"m5.xlarge", "c5.large"}).build()).node({.name = "a", .type = "m5.xlarge"}, pods("a", 6));
  EXPECT_EQ(found(c), "a -> c5.large c5.large saves 0.022; ");
}

TEST(Search, SeveralNodesBecomeFewerAndSmallerOnes) {
  Cluster c;
  c.pool(of_types({"m5.xlarge", "c5.large"}).build());
  for (const char* name : {"a", "b", "c"}) c.node({.name = name, .type = "m5.xlarge"}, pods(name, 2));
  EXPECT_EQ(found(c), "a b c -> c5.large c5.large saves 0.406; ");
}

TEST(Search, ManyNodesGoInOnePassAndNothingIsLeftToDo) {
  const Snapshot before = cluster_of(30, 2);  // 60 pods: four nodes and an m5.large
  const Pass pass = decide_disruption(before, {});
  size_t gone = 0, launched = 0;
  model::Price saved;
  ProjectedCluster after(before, {});
  for (const Move& move : pass.moves) {
    gone += move.nodes.size();
    launched += move.replacements.size();
    saved += move.savings;
    after.apply(move);
  }
  EXPECT_EQ(gone, 26u);
  EXPECT_EQ(launched, 1u);
  EXPECT_EQ(model::format_usd(saved), "3.18");
  EXPECT_EQ(text(decide_disruption(after.snapshot(), after.options()).moves), "");
}

// Deleting alone would leave three m5.xlarge.
TEST(Search, WrongTypesArePackedAnew) {
  Cluster c;
  c.pool(on_demand().build());
  for (int i = 0; i < 12; ++i) {
    const std::string name = "node-" + std::to_string(10 + i);
    c.node({.name = name, .type = "m5.xlarge"}, pods(name, 3));
  }
  const Pass pass = decide_disruption(c.build(), {});
  ASSERT_EQ(pass.moves.size(), 1u);
  const Move& move = pass.moves.front();
  EXPECT_EQ(move.nodes.size(), 12u);
  EXPECT_EQ(model::format_usd(move.savings), "1.926");  // three r5.large
  EXPECT_TRUE(validate_move(c.build(), {}, move).move);
}

TEST(Search, MovesOfAPassStayWithinTheBudgetTogether) {
  Snapshot snapshot = cluster_of(30, 2);
  auto pool = std::make_shared<model::NodePool>(*snapshot.pools.front().pool);
  pool->budgets = {{.nodes = "4"}};
  snapshot.pools.front().pool = pool;
  size_t gone = 0;
  for (const Move& move : decide_disruption(snapshot, {}).moves) gone += move.nodes.size();
  EXPECT_EQ(gone, 4u);
}

// Ten nodes of which one saves the most, although it disrupts more pods for each dollar.
TEST(Search, UnderABudgetOfOneTheLargestSavingIsMade) {
  Cluster c;
  c.pool(of_types({"c5.large", "m5.xlarge"}).build());
  for (int i = 0; i < 9; ++i)
    c.node({.name = "c" + std::to_string(i), .type = "c5.large"}, pods("c" + std::to_string(i), 1));
  c.node({.name = "m", .type = "m5.xlarge"}, pods("m", 8));
  Snapshot snapshot = c.build();
  auto pool = std::make_shared<model::NodePool>(*snapshot.pools.front().pool);
  pool->budgets = {{.nodes = "1"}};
  snapshot.pools.front().pool = pool;
  const Pass pass = decide_disruption(snapshot, {});
  EXPECT_EQ(text(pass.moves), "m -> saves 0.192; ");
  EXPECT_EQ(pass.kept.at("c0").reason, "Budget");
}

// Every candidate is considered, and the cost of that does not grow with the cluster.
TEST(Search, APackedClusterCostsSoManyStepsForEachNode) {
  constexpr int64_t kStepsForEach = 12;
  for (const int nodes : {20, 200}) {
    const Snapshot snapshot = cluster_of(nodes, 14);
    std::map<std::string, Kept> kept;
    const std::vector<Candidate> all = candidates(snapshot, {}, Patience::kGraceful, kept);
    ASSERT_EQ(all.size(), static_cast<size_t>(nodes));
    Nodes every;
    for (const Candidate& candidate : all) every.push_back(&candidate);
    const Options options;
    RemovalEvaluator evaluator(snapshot, options, every);
    for (const Candidate* candidate : every) {
      const Judgement judgement = evaluator.judge({candidate});
      EXPECT_FALSE(judgement.move);
      EXPECT_EQ(judgement.why_not, "Can't replace with a cheaper node");
    }
    EXPECT_LE(evaluator.steps(), kStepsForEach * nodes);
    EXPECT_EQ(text(decide_disruption(snapshot, {}).moves), "");
  }
}

// In a packed cluster all sets of neighbours are refused. After a thousand of one size the search tries no more, so a
// further node costs the steps of single nodes alone.
TEST(Search, ALongRowOfRefusedSetsIsTheLastOfItsSize) {
  constexpr int kFew = 1'200, kMany = 2'000, kStepsOfASingleNode = 3, kStepsOfOneMoreHalf = 20;
  const auto steps = [](int nodes) { return decide_disruption(cluster_of(nodes, 14), {}).steps; };
  EXPECT_LE(steps(kMany) - steps(kFew), kStepsOfASingleNode * (kMany - kFew) + kStepsOfOneMoreHalf);
}

TEST(Search, SpotPricesMayJitter) {
  for (const auto& [spot, moves] : {std::pair{"0.095", ""}, {"0.08", "a -> x.large saves 0.02; "}}) {
    Cluster c;
    c.types({a_type("x.large")
                 .cpu("2")
                 .memory("8Gi")
                 .offer("us-east-1a", "on-demand", "0.1")
                 .offer("us-east-1a", "spot", spot)
                 .build()});
    c.pool(PoolBuilder("default").budget("100%").build()).node({.name = "a", .type = "x.large"}, pods("a", 2));
    EXPECT_EQ(found(c), moves);
  }
}

// A day of a steady cluster on spot nodes, with a pass every five minutes: twenty types at about the same price.
TEST(Search, NothingMovesForPricesThatJitter) {
  constexpr int kTypes = 20, kLooks = 288;
  const auto types = [](Prng& prng, int64_t cheap) {
    std::vector<model::InstanceType> all;
    for (int t = 0; t < kTypes; ++t) {
      auto type = a_type("t" + std::to_string(10 + t) + ".large").cpu("2").memory("8Gi");
      for (const char* zone : {"us-east-1a", "us-east-1b"}) {
        const int64_t milli = t == 0 ? 100 : cheap;
        type.offer(zone, "spot", model::format_usd(model::Price(milli * prng.between(950, 1'050) * 1'000'000)));
      }
      all.push_back(type.build());
    }
    return std::make_shared<const std::vector<model::InstanceType>>(std::move(all));
  };
  Prng prng(1);
  Options options;
  options.spot_to_spot = true;
  Cluster c;
  c.types(*types(prng, 100));
  c.pool(PoolBuilder("default").budget("100%").build());
  for (int i = 0; i < 12; ++i) {
    const std::string name = "node-" + std::to_string(10 + i);
    c.node({.name = name, .type = "t10.large", .capacity_type = "spot"}, pods(name, 8));
  }
  Snapshot snapshot = c.build();
  for (int look = 0; look < kLooks; ++look) {
    snapshot.pools.front().types = types(prng, 100);
    ASSERT_EQ(text(decide_disruption(snapshot, options).moves), "");
  }
  snapshot.pools.front().types = types(prng, 50);  // but for half of the price they are
  EXPECT_NE(text(decide_disruption(snapshot, options).moves), "");
}

}  // namespace
}  // namespace tenon::disruption
