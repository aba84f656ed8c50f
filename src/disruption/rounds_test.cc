// Pass after pass on clusters drawn from seeds: each pass is valid as a whole, saves the amount that it states, and in
// the end a pass finds no move.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "disruption/testing/carry_out.h"
#include "disruption/testing/worn_cluster.h"
#include "scheduling/check/check_solution.h"
#include "scheduling/input/solution.h"
#include "scheduling/input/solve_options.h"

namespace tenon::disruption {
namespace {

using scheduling::Snapshot;
using scheduling::Solution;
using scheduling::testing::RandomSizes;

constexpr uint64_t kSeeds = 150;
constexpr int kMostRounds = 100;  // some with budgets for few nodes at a time
constexpr RandomSizes kFew{.pods = 24, .kinds = 5, .types = 4, .pools = 2, .nodes = 3};
constexpr RandomSizes kMany{.pods = 150, .kinds = 8, .types = 5, .pools = 2, .nodes = 3};

// Returns all moves of a pass as one plan for a cluster without their nodes.
Status check(const Snapshot& snapshot, const Pass& pass, scheduling::SolveOptions options) {
  options.gone_nodes_are_domains = true;
  Solution whole;
  for (const Move& move : pass.moves) {
    options.removed_nodes.insert(options.removed_nodes.end(), move.nodes.begin(), move.nodes.end());
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
  int64_t spare_nodes;  // that the limit of the cluster's size allows
};
const model::Price kCent(model::kPicoPerUsd / 100);

class Rounds : public ::testing::TestWithParam<Case> {};

TEST_P(Rounds, EndWithLessToPay) {
  size_t moves = 0;
  Options options;
  options.solve.node_price = GetParam().node_price;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Snapshot snapshot = testing::half_gone(seed, *GetParam().sizes);
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
