// A pass gains as much as the best single command of the peer's kind, within budgets.
// SPDX-License-Identifier: Apache-2.0
#include "disruption/command.h"

#include <gtest/gtest.h>

#include "disruption/testing/single_command.h"
#include "disruption/testing/worn_cluster.h"

namespace tenon::disruption {
namespace {

constexpr uint64_t kSeeds = 120;

TEST(Command, NoPassGainsLessThanOneCommand) {
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    EXPECT_EQ(testing::compare_savings(seed) + testing::compare_half_gone(seed), "") << "seed " << seed;
  }
}

// Three pods of a zonal spread are moved to one node that accepts them one by one.
TEST(Command, AnAnswerThatStopsEarlyFindsRoomForPodsOfASpread) { EXPECT_EQ(testing::compare_half_gone(1484), ""); }

// A node that only solve() can empty: first fit leaves one of its pods behind.
TEST(Command, ASetThatFirstFitCannotMoveIsPlannedFromScratch) {
  for (const uint64_t seed : {202611260016134, 202611260517534, 202611280049388}) {
    EXPECT_EQ(testing::compare_half_gone(seed), "");
  }
}

// One command may not remove 100 nodes, and there are other moves.
TEST(Command, NorDoesOneOfAHundredNodes) {
  size_t commands = 0;
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    Options options;
    options.forecast = false;
    const auto found = testing::compare_commands(testing::worn_cluster(seed, 100), options, false);
    EXPECT_GE(found.pass, found.command) << "seed " << seed;
    commands += found.nodes.empty() ? 0 : 1;
  }
  EXPECT_GT(commands, 0u);
}

}  // namespace
}  // namespace tenon::disruption
