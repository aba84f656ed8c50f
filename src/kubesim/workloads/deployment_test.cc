// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "json/json.h"
#include "kubesim/actors/testing/world.h"
#include "kubesim/workloads/workloads.h"

namespace tenon::kubesim {
namespace {

using json::int_at;
using testing::deployment;
using testing::World;

class DeploymentTest : public ::testing::Test {
 protected:
  World world_;
};

TEST_F(DeploymentTest, ADeploymentRunsItsReplicas) {
  world_.add_node("n1");
  world_.apply(deployment("web", 3, "100m"));
  world_.run(1min);
  EXPECT_EQ(world_.running("app=web"), 3);
  EXPECT_EQ(int_at(world_.status(kDeployments, "web"), {"availableReplicas"}), 3);
  EXPECT_EQ(world_.list(kReplicaSets).size(), 1u);
  world_.scale("web", 1);
  world_.run(1min);
  EXPECT_EQ(world_.running("app=web"), 1);
}

TEST_F(DeploymentTest, ARollingUpdateKeepsEnoughPodsAvailable) {
  world_.add_node("n1");
  world_.apply(deployment("web", 4, "100m"));
  world_.run(1min);
  world_.patch(kDeployments, "default", "web",
               "{spec: {strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 1}}, template: {metadata: {labels: {v: "
               "'2'}}}}}");
  int fewest = 4;
  size_t most = 0;
  for (int second = 0; second < 120; ++second) {
    world_.run(1s);
    fewest = std::min(fewest, world_.running("app=web"));
    const auto pods = world_.list(kPods, "app=web");
    most = std::max<size_t>(
        most, std::count_if(pods.begin(), pods.end(), [](const Object& pod) { return !is_deleting(*pod); }));
  }
  EXPECT_GE(fewest, 3);
  EXPECT_LE(most, 5u);
  EXPECT_EQ(world_.running("app=web,v=2"), 4);
  EXPECT_EQ(world_.list(kReplicaSets).size(), 2u) << "the old one stays, for a rollback";
}

TEST_F(DeploymentTest, RecreateStopsTheOldFirst) {
  world_.add_node("n1");
  world_.apply(deployment("web", 2, "100m"));
  world_.run(1min);
  world_.patch(kDeployments, "default", "web",
               "{spec: {strategy: {type: Recreate, rollingUpdate: null}, template: {metadata: {labels: {v: '2'}}}}}");
  bool both = false;
  for (int second = 0; second < 60; ++second) {
    world_.run(1s);
    both = both || (world_.running("app=web,v=2") > 0 && world_.running("app=web,!v") > 0);
  }
  EXPECT_FALSE(both);
  EXPECT_EQ(world_.running("app=web,v=2"), 2);
}

TEST_F(DeploymentTest, APausedDeploymentDoesNotRoll) {
  world_.add_node("n1");
  world_.apply(deployment("web", 1, "100m"));
  world_.run(1min);
  world_.patch(kDeployments, "default", "web", "{spec: {paused: true, template: {metadata: {labels: {v: '2'}}}}}");
  world_.run(1min);
  EXPECT_EQ(world_.running("v=2"), 0);
  world_.patch(kDeployments, "default", "web", "{spec: {paused: false}}");
  world_.run(1min);
  EXPECT_EQ(world_.running("v=2"), 1);
}

TEST_F(DeploymentTest, ALostPodIsReplaced) {
  world_.add_node("n1");
  world_.apply(deployment("web", 2, "100m"));
  world_.run(1min);
  const auto before = world_.names(kPods, "app=web");
  ASSERT_EQ(before.size(), 2u);
  ASSERT_TRUE(world_.api().remove(kPods, "default", before[0], {.grace_period_seconds = 0}));
  world_.run(1min);
  const auto after = world_.names(kPods, "app=web");
  EXPECT_EQ(after.size(), 2u);
  EXPECT_EQ(std::count(after.begin(), after.end(), before[0]), 0);
}

}  // namespace
}  // namespace tenon::kubesim
