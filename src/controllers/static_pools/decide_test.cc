// SPDX-License-Identifier: Apache-2.0
#include "controllers/static_pools/decide.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "model/labels.h"

namespace tenon::controllers::static_pools {
namespace {

const Instant kNow(1'000'000s);

scheduling::Snapshot snapshot(int64_t replicas, size_t nodes) {
  model::NodePool pool;
  pool.meta.name = "fixed";
  pool.meta.uid = "pool-uid";
  pool.replicas = replicas;
  scheduling::Snapshot s;
  s.now = kNow;
  s.pools = {{std::make_shared<const model::NodePool>(pool), nullptr, ""}};
  for (size_t i = 0; i < nodes; ++i) {
    model::NodeClaim claim;
    claim.meta.name = "fixed-" + std::to_string(i);
    claim.meta.labels[std::string(model::kLabelNodePool)] = "fixed";
    scheduling::NodeView view;
    view.claim = std::make_shared<const model::NodeClaim>(claim);
    s.nodes.push_back(view);
  }
  return s;
}

plan::Plan decide_for(const scheduling::Snapshot& s, const Limits& limits = {}) {
  return decide(s, s.pools.front(), limits, 5);
}

template <class A>
size_t count(const plan::Plan& plan) {
  return static_cast<size_t>(std::count_if(plan.actions.begin(), plan.actions.end(),
                                           [](const auto& action) { return std::holds_alternative<A>(action); }));
}

TEST(StaticPools, MissingNodesAreCreatedInTheTurn) {
  const plan::Plan plan = decide_for(snapshot(3, 1));
  EXPECT_EQ(count<plan::CreateNodeClaim>(plan), 2u);
  EXPECT_EQ(plan.groups.size(), 2u) << "each fails alone";
  EXPECT_EQ(plan.turn, std::optional<uint64_t>(5));
  EXPECT_EQ(plan::find<plan::CreateNodeClaim>(plan)->log, " for the static nodepool/fixed");
  EXPECT_FALSE(plan::find<plan::CreateNodeClaim>(plan)->nominate);
}

TEST(StaticPools, ExcessNodesAreDeletedInTheTurn) {
  const plan::Plan plan = decide_for(snapshot(1, 3));
  EXPECT_EQ(count<plan::DeleteNodeClaim>(plan), 2u);
  EXPECT_EQ(plan.turn, std::optional<uint64_t>(5));
}

TEST(StaticPools, WithAllItsNodesThePoolTakesNoTurn) {
  const plan::Plan plan = decide_for(snapshot(2, 2));
  EXPECT_TRUE(plan.actions.empty());
  EXPECT_FALSE(plan.turn);
  EXPECT_EQ(plan.again, kInterval);
}

TEST(StaticPools, CreationsThatFailAreNotRepeatedAtOnce) {
  const plan::Plan plan = decide_for(snapshot(3, 1), {.create_from = kNow + 4s});
  EXPECT_TRUE(plan.actions.empty());
  EXPECT_EQ(plan.again, Duration(4s));
}

TEST(StaticPools, TheLimitOfTheClusterIsReported) {
  const plan::Plan plan = decide_for(snapshot(3, 1), {.max_nodes = 2});
  EXPECT_EQ(count<plan::CreateNodeClaim>(plan), 1u);
  EXPECT_EQ(plan.again, kAtLimitInterval);
  ASSERT_EQ(plan.log.size(), 2u);
  EXPECT_EQ(plan.log[0].message, "provisioning nodeclaims to satisfy replica count");
  EXPECT_EQ(plan.log[1].message, "nodepool node limit reached");
  EXPECT_EQ(plan.log[1].words, "nodepool/fixed has as many nodes as its limits, or that of the cluster, allow");
  const auto* event = plan::find<plan::RecordEvent>(plan);
  ASSERT_NE(event, nullptr);
  EXPECT_EQ(event->reason + ": " + event->message,
            "NodeLimitReached: node limit of the cluster has been exhausted (max-nodes=2)");
}

TEST(StaticPools, AtTheLimitOfTheClusterTheEventNeedsNoTurn) {
  const plan::Plan plan = decide_for(snapshot(3, 2), {.max_nodes = 2});
  EXPECT_NE(plan::find<plan::RecordEvent>(plan), nullptr);
  EXPECT_FALSE(plan.turn);
}

}  // namespace
}  // namespace tenon::controllers::static_pools
