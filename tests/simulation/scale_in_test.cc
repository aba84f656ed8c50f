// After a peak: half of the load of five hundred nodes ends, and under a budget of 10 % the cluster is stable within a
// quarter of an hour.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "simulation/life.h"

namespace tenon::simulation {
namespace {

constexpr int kNodes = 500;
constexpr Duration kAtMost = 15min;

TEST(ScaleIn, FromFiveHundredNodesToHalfOfThem) {
  LifeOptions options;
  options.types = {"c5.large"};
  options.budget = "10%";
  options.pod_millicores = 900;  // two fit on a node
  options.pod_mib = 1024;
  options.grace_seconds = 5;
  options.shutting_down_for = 20s;
  Life life(options);
  life.scale(2 * kNodes);
  ASSERT_TRUE(life.run_until_running(2 * kNodes));
  ASSERT_EQ(life.live_instances(), kNodes);
  life.run_for(1min);  // consolidateAfter has passed for the nodes
  life.scale(kNodes);
  EXPECT_TRUE(life.run_until([&] { return life.live_instances() <= kNodes / 2; }, kAtMost))
      << life.live_instances() << " instances are left";
  EXPECT_EQ(life.running_pods(), kNodes);
}

}  // namespace
}  // namespace tenon::simulation
