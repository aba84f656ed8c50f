// The controllers crash at a random moment of a cluster's life and restart: the final state is the same, and no
// instance without a NodeClaim is left.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/prng.h"
#include "simulation/best.h"

namespace tenon::simulation {
namespace {

class Crash : public testing::TestWithParam<uint64_t> {};

TEST_P(Crash, EndsInTheSameState) {
  Prng prng(GetParam());
  LifeOptions options;
  options.seed = GetParam();
  options.types = {"c5.large", "m5.large", "m5.xlarge", "r5.large"};
  options.pod_millicores = 100;
  options.pod_mib = 1024;
  Life life(options);
  for (const int replicas : {5, 12, 1}) {
    life.scale(replicas);
    // From a few milliseconds to minutes, so that some seed hits every point of a launch or a drain.
    life.run_for(Duration(prng.between(1, prng.chance(1, 2) ? 10'000'000'000 : 180'000'000'000)));
    life.crash();
    life.run_for(Duration(prng.between(1, 30'000'000'000)));
    life.restart();
    ASSERT_TRUE(life.settle());
    EXPECT_EQ(life.running_pods(), replicas);
    EXPECT_EQ(life.unclaimed_instances(), 0);
    EXPECT_EQ(life.live_instances(), static_cast<int>(life.nodes().size()));
    EXPECT_EQ(better_move(options, life.nodes(), static_cast<int>(life.nodes().size())), "");
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Crash, testing::Range<uint64_t>(1, 26));

}  // namespace
}  // namespace tenon::simulation
