// Pass after pass on clusters drawn from seeds: each is valid as a whole, saves what it says, and one day there is
// nothing left to do.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/prng.h"
#include "disruption/testing/carry_out.h"
#include "model/labels.h"
#include "scheduling/testing/carry_out.h"
#include "scheduling/testing/random_cluster.h"

namespace tenon::disruption {
namespace {

using scheduling::NodeView;
using scheduling::PodPtr;
using scheduling::Snapshot;
using scheduling::Solution;
using scheduling::testing::RandomSizes;

constexpr uint64_t kSeeds = 150;
constexpr int kMostRounds = 100;  // some where few nodes may be replaced at a time
constexpr RandomSizes kFew{.pods = 24, .kinds = 5, .types = 4, .pools = 2, .nodes = 3};
constexpr RandomSizes kMany{.pods = 150, .kinds = 8, .types = 5, .pools = 2, .nodes = 3};

// What was planned for the pods runs, at first fit, and half of the pods have gone.
Snapshot cluster(uint64_t seed, const RandomSizes& sizes) {
  auto drawn = scheduling::testing::random_cluster(seed, sizes);
  scheduling::SolveOptions options;
  options.improvement_steps = 0;
  const Snapshot& before = drawn.cluster.build();
  const Solution plan = solve(before, options);
  const Snapshot up = scheduling::testing::carry_out(before, plan, "up-");
  Snapshot snapshot = before;
  snapshot.pending.clear();
  snapshot.nodes.clear();
  for (auto& view : snapshot.pools) {
    model::NodePool pool = *view.pool;
    pool.budgets = {{.nodes = "100%"}};
    view.pool = std::make_shared<model::NodePool>(pool);
  }
  Prng prng(seed);
  for (const NodeView& view : up.nodes) {
    const auto labels = view.labels();
    const auto pool = std::find_if(snapshot.pools.begin(), snapshot.pools.end(),
                                   [&](const auto& p) { return p.pool->meta.name == view.pool(); });
    const auto& types = *pool->types;
    const auto type = std::find_if(types.begin(), types.end(), [&](const auto& t) {
      return t.name == model::lookup(labels, model::kLabelInstanceType);
    });
    NodeView node =
        testing::a_node(view.name(), *pool->pool, *type, std::string(model::lookup(labels, model::kLabelZone)),
                        std::string(model::lookup(labels, model::kLabelCapacityType)));
    for (const PodPtr& pod : view.pods) {
      if (prng.chance(1, 2)) node.pods.push_back(pod);
    }
    snapshot.nodes.push_back(std::move(node));
  }
  std::sort(snapshot.nodes.begin(), snapshot.nodes.end(),
            [](const NodeView& a, const NodeView& b) { return a.name() < b.name(); });
  return snapshot;
}

// All moves of a pass as one plan for a cluster without their nodes.
Status check(const Snapshot& snapshot, const Pass& pass, scheduling::SolveOptions options) {
  options.gone_nodes_are_domains = true;
  Solution whole;
  for (const Move& move : pass.moves) {
    options.without_nodes.insert(options.without_nodes.end(), move.nodes.begin(), move.nodes.end());
    for (const auto& [node, keys] : move.pods_to_existing) {
      auto& all = whole.existing[node];
      all.insert(all.end(), keys.begin(), keys.end());
      std::sort(all.begin(), all.end());
    }
    for (scheduling::PlannedNode node : move.replacements) {
      node.id = move.id + "-" + node.id;
      whole.price += node.launch.price;
      whole.new_nodes.push_back(std::move(node));
    }
  }
  return check_solution(snapshot, options, whole);
}

struct Case {
  const RandomSizes* sizes;
  model::Price node_price;
  int64_t spare_nodes;  // that the limit of the cluster's size leaves room for
};
const model::Price kCent(model::kPicoPerUsd / 100);

class Rounds : public ::testing::TestWithParam<Case> {};

TEST_P(Rounds, EndWithLessToPay) {
  size_t moves = 0;
  Options options;
  options.solve.node_price = GetParam().node_price;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Snapshot snapshot = cluster(seed, *GetParam().sizes);
    for (int round = 0;; ++round) {
      ASSERT_LT(round, kMostRounds);
      options.solve.max_nodes = snapshot.size() + GetParam().spare_nodes;
      const Pass pass = decide_disruption(snapshot, options);
      if (pass.moves.empty()) break;
      const Status valid = check(snapshot, pass, options.solve);
      ASSERT_TRUE(valid) << valid.error().message;
      model::Price expected = testing::price_of(snapshot);
      for (const Move& move : pass.moves) {
        EXPECT_GT(gain_of(move, options.solve.node_price), model::Price());
        expected -= move.savings;
        testing::carry_out(snapshot, move, std::to_string(round));
        ++moves;
      }
      ASSERT_EQ(testing::price_of(snapshot), expected);
    }
  }
  EXPECT_GT(moves, kSeeds / 2);
}

INSTANTIATE_TEST_SUITE_P(Clusters, Rounds,
                         ::testing::Values(Case{&kFew, {}, 1000}, Case{&kMany, {}, 1000}, Case{&kFew, kCent, 1000},
                                           Case{&kMany, kCent, 1000}, Case{&kFew, {}, 0}, Case{&kMany, kCent, 2}));

}  // namespace
}  // namespace tenon::disruption
