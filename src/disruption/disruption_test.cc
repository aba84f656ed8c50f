// The states of walkthrough F, and the reasons that keep a node. c5.large holds 3 of these pods, m5.large 6, m5.xlarge
// 13, r5.large 14.
// SPDX-License-Identifier: Apache-2.0
#include "disruption/disruption.h"

#include <gtest/gtest.h>

#include <set>

#include "disruption/candidates.h"
#include "disruption/cost.h"
#include "disruption/validation.h"
#include "model/adoption.h"
#include "model/unreadable.h"
#include "scheduling/input/solution.h"
#include "scheduling/testing/cluster.h"

namespace tenon::disruption {
namespace {

using model::testing::PodBuilder;
using model::testing::PoolBuilder;
using scheduling::testing::Cluster;

std::vector<model::Pod> inflate(const std::string& node, int count) {
  std::vector<model::Pod> pods;
  for (int i = 0; i < count; ++i) {
    pods.push_back(PodBuilder(node + "-" + std::to_string(i)).memory("1Gi").running_on(node).build());
  }
  return pods;
}

PoolBuilder on_demand() { return PoolBuilder("default").require("karpenter.sh/capacity-type", {"on-demand"}); }

std::string moves(const Pass& pass) {
  std::string text;
  for (const Move& move : pass.moves) {
    text += move.reason + ":";
    for (const auto& name : move.nodes) text += " " + name;
    for (const auto& node : move.replacements) text += " -> " + node.launch.instance_type;
    text += " saves " + model::format_usd(move.savings) + "; ";
  }
  return text;
}

TEST(Disruption, FiveOfTwelvePodsNeedOneNode) {
  Cluster c;
  c.pool(on_demand().build()).node({.name = "a"}, inflate("a", 3)).node({.name = "b"}, inflate("b", 2));
  EXPECT_EQ(moves(decide_disruption(c.build(), {})), "Underutilized: b saves 0.096; ");
}

TEST(Disruption, TheDefaultBudgetKeepsTwoFullNodes) {
  Cluster c;
  c.pool(on_demand().build()).node({.name = "a"}, inflate("a", 6)).node({.name = "b"}, inflate("b", 6));
  EXPECT_EQ(moves(decide_disruption(c.build(), {})), "");
}

TEST(Disruption, ABudgetOfTwoMakesThemOne) {
  Cluster c;
  c.pool(on_demand().budget("2").build()).node({.name = "a"}, inflate("a", 6)).node({.name = "b"}, inflate("b", 6));
  EXPECT_EQ(moves(decide_disruption(c.build(), {})), "Underutilized: a b -> r5.large saves 0.066; ");
}

TEST(Disruption, OnePodGetsACheaperNode) {
  Cluster c;
  c.pool(on_demand().build()).node({.name = "a"}, inflate("a", 1));
  const Pass pass = decide_disruption(c.build(), {});
  EXPECT_EQ(moves(pass), "Underutilized: a -> c5.large saves 0.011; ");
  EXPECT_TRUE(validate_move(c.build(), {}, pass.moves.front()).move);
}

TEST(Disruption, AnObserverSeesTheMethodsAndWhatIsWeighed) {
  Cluster c;
  c.pool(on_demand().build()).node({.name = "a"}, inflate("a", 1));
  std::vector<Method> methods;
  std::vector<std::string> weighed;
  const Observer observer{.began = [&](Method method) { methods.push_back(method); },
                          .weighed =
                              [&](const auto& pools, bool approved) {
                                for (const auto& [pool, score] : pools)
                                  weighed.push_back(pool + (score ? " scored" : "") + (approved ? " approved" : ""));
                              }};
  Options options;
  options.observer = &observer;
  EXPECT_EQ(moves(decide_disruption(c.build(), options)), moves(decide_disruption(c.build(), {})));
  EXPECT_EQ(methods, (std::vector{Method::kEmptiness, Method::kDrift, Method::kSingleNodeConsolidation,
                                  Method::kMultiNodeConsolidation}));
  ASSERT_FALSE(weighed.empty());
  EXPECT_EQ(weighed.front(), "default approved");

  // All of the disruption for a ninth of the price.
  Cluster balanced;
  balanced.pool(on_demand().policy(model::ConsolidationPolicy::kBalanced).build()).node({.name = "a"}, inflate("a", 1));
  weighed.clear();
  EXPECT_EQ(moves(decide_disruption(balanced.build(), options)), "");
  ASSERT_FALSE(weighed.empty());
  EXPECT_EQ(weighed.front(), "default scored");
}

TEST(Disruption, AMoveThatPodsOvertookIsNoLongerValid) {
  Cluster before, after;
  before.pool(on_demand().build()).node({.name = "a"}, inflate("a", 1));
  after.pool(on_demand().build()).node({.name = "a"}, inflate("a", 5));
  const Pass pass = decide_disruption(before.build(), {});
  ASSERT_EQ(pass.moves.size(), 1u);
  const Validation again = validate_move(after.build(), {}, pass.moves.front());
  EXPECT_FALSE(again.move);
  EXPECT_EQ(again.reason, "scheduling");
}

// The move was found on a snapshot whose NodeClaim had the mark of Tenon.
TEST(Disruption, TheSecondLookRejectsTheMoveOfANodeThatWasAdoptedLately) {
  Cluster c;
  c.pool(on_demand().build()).node({.name = "a"}, inflate("a", 1));
  Options options;
  options.adoption_wait = 1h;
  const scheduling::Snapshot adopted = c.build();
  scheduling::Snapshot launched = adopted;
  model::NodeClaim claim = *launched.nodes[0].claim;
  model::mark_launched_by_tenon(claim.meta);
  launched.nodes[0].claim = std::make_shared<const model::NodeClaim>(claim);
  const Pass pass = decide_disruption(launched, options);
  ASSERT_EQ(moves(pass), "Underutilized: a -> c5.large saves 0.011; ");
  EXPECT_EQ(pass.eligible.at("Underutilized"), 1);
  EXPECT_TRUE(validate_move(launched, options, pass.moves.front()).move);
  const Validation again = validate_move(adopted, options, pass.moves.front());
  EXPECT_FALSE(again.move);
  EXPECT_EQ(again.reason, "churn");
  EXPECT_TRUE(again.message.starts_with("node a: Node was not launched by Tenon")) << again.message;
  EXPECT_FALSE(decide_disruption(adopted, options).eligible.contains("Underutilized"));
}

TEST(Disruption, AReplacementIsMadeFromTheNodePoolOfTheSecondLook) {
  Cluster c;
  c.pool(on_demand().build()).node({.name = "a"}, inflate("a", 1));
  scheduling::Snapshot snapshot = c.build();
  const Pass pass = decide_disruption(snapshot, {});
  ASSERT_EQ(pass.moves.size(), 1u);
  model::NodePool pool = *snapshot.pools[0].pool;
  pool.node_template.labels["team"] = "t78";
  pool.node_template.startup_taints = {{"cilium", "", "NoExecute"}};
  snapshot.pools[0].pool = std::make_shared<const model::NodePool>(pool);
  const Validation again = validate_move(snapshot, {}, pass.moves.front());
  ASSERT_TRUE(again.move) << again.message;
  const scheduling::PlannedNode& node = again.move->replacements.front();
  EXPECT_EQ(model::lookup(*node.labels, "team"), "t78");
  EXPECT_EQ(node.startup_taints, pool.node_template.startup_taints);
}

TEST(Disruption, EmptyNodesGoTogetherUnderTheBudget) {
  for (const auto& [budget, expected] :
       {std::pair{"10%", "Empty: a saves 0.096; "}, {"2", "Empty: a b saves 0.192; "}}) {
    Cluster c;
    c.pool(on_demand().budget(budget).build()).node({.name = "a"}).node({.name = "b"}).node({.name = "c"});
    EXPECT_EQ(moves(decide_disruption(c.build(), {})), expected);
  }
}

TEST(Disruption, EmptyNodesThatAreInUseAgainDoNotKeepTheOthers) {
  Cluster before, after;
  before.pool(on_demand().budget("2").build()).node({.name = "a"}).node({.name = "b"});
  after.pool(on_demand().budget("2").build()).node({.name = "a"}, inflate("a", 1)).node({.name = "b"});
  const Pass pass = decide_disruption(before.build(), {});
  ASSERT_EQ(moves(pass), "Empty: a b saves 0.192; ");
  const Validation again = validate_move(after.build(), {}, pass.moves.front());
  ASSERT_TRUE(again.move);
  EXPECT_EQ(again.move->nodes, std::vector<std::string>{"b"});
  EXPECT_EQ(again.reason + ": " + again.message, "churn: node a is in use again");
}

TEST(Disruption, WithoutItsGateADriftedNodeOfAStaticPoolStays) {
  model::NodePool pool = on_demand().build();
  pool.replicas = 1;
  Cluster c;
  c.pool(pool).node({.name = "a"});
  scheduling::Snapshot snapshot = c.build();
  model::NodeClaim claim = *snapshot.nodes[0].claim;
  claim.conditions.push_back({std::string(model::kDrifted), "True", "NodePoolDrifted", "", snapshot.now, 1});
  snapshot.nodes[0].claim = std::make_shared<const model::NodeClaim>(claim);
  EXPECT_EQ(decide_disruption(snapshot, {}).moves.size(), 0u);
  EXPECT_EQ(decide_disruption(snapshot, {.static_capacity = true}).moves.size(), 1u);
}

struct Changed {
  const char* reason;
  void (*change)(scheduling::Snapshot&);
};

TEST(Disruption, WhyAMoveIsNotMadeAfterAll) {
  for (const auto& [reason, change] : {
           Changed{"churn", [](scheduling::Snapshot& s) { s.nodes[0].marked_for_deletion = true; }},
           Changed{"churn", [](scheduling::Snapshot& s) { s.nodes.clear(); }},
           Changed{"churn",
                   [](scheduling::Snapshot& s) {
                     model::NodeClaim claim = *s.nodes[0].claim;
                     std::erase_if(claim.conditions, [](const auto& c) { return c.type == model::kConsolidatable; });
                     s.nodes[0].claim = std::make_shared<const model::NodeClaim>(claim);
                   }},
           Changed{"budget", [](scheduling::Snapshot& s) { s.nodes[0].nominated = true; }},
           Changed{"budget",
                   [](scheduling::Snapshot& s) {
                     model::NodePool pool = *s.pools[0].pool;
                     pool.budgets = {{.reasons = {}, .nodes = "0", .schedule = "", .duration = {}}};
                     s.pools[0].pool = std::make_shared<const model::NodePool>(pool);
                   }},
           Changed{"scheduling", [](scheduling::Snapshot& s) { s.pools[0].not_ready = "for now"; }},
       }) {
    Cluster c;
    c.pool(on_demand().build()).node({.name = "a"}, inflate("a", 1));
    scheduling::Snapshot snapshot = c.build();
    const Pass pass = decide_disruption(snapshot, {});
    ASSERT_EQ(pass.moves.size(), 1u);
    change(snapshot);
    const Validation again = validate_move(snapshot, {}, pass.moves.front());
    EXPECT_FALSE(again.move) << reason;
    EXPECT_EQ(again.reason, reason) << again.message;
  }
}

TEST(Disruption, WhenEmptyMovesNoPods) {
  Cluster c;
  c.pool(on_demand().policy(model::ConsolidationPolicy::kWhenEmpty).build()).node({.name = "a"}, inflate("a", 1));
  const Pass pass = decide_disruption(c.build(), {});
  EXPECT_EQ(moves(pass), "");
  EXPECT_EQ(pass.kept.at("a").message,
            "NodePool \"default\" has consolidation policy WhenEmpty, but node is not empty");
}

TEST(Disruption, NodesInACommandAreLeftAloneAndUseUpTheBudget) {
  Cluster c;
  c.pool(on_demand().build()).node({.name = "a"}).node({.name = "b"});
  Options options;
  options.in_progress = {"a"};
  EXPECT_EQ(moves(decide_disruption(c.build(), options)), "");
}

Move waiting(const std::string& node) { return {.reason = "Empty", .method = Method::kEmptiness, .nodes = {node}}; }

TEST(Disruption, NodesOfAMoveThatWaitsAreLeftAloneAndUseUpTheBudget) {
  Cluster c;
  c.pool(on_demand().build()).node({.name = "a"}).node({.name = "b"});
  Options options;
  options.waiting = {waiting("a")};
  EXPECT_EQ(moves(decide_disruption(c.build(), options)), "");
}

// m5.xlarge has 4 CPUs, c5.large 2.
TEST(Disruption, OnlyACommandThatHasBegunGivesItsLimitsAway) {
  Cluster c;
  c.pool(on_demand().limit("cpu", "5").budget("100%").build())
      .node({.name = "a", .type = "m5.xlarge"})
      .node({.name = "b", .type = "m5.large"}, inflate("b", 1));
  Options begun, waits;
  begun.in_progress = {"a"};
  waits.waiting = {waiting("a")};
  EXPECT_EQ(moves(decide_disruption(c.build(), begun)), "Underutilized: b -> c5.large saves 0.011; ");
  EXPECT_EQ(moves(decide_disruption(c.build(), waits)), "");
}

// The waiting move uses b's room for one pod; c's pod would need it too.
TEST(Disruption, RoomThatAMoveThatWaitsWillTakeIsTaken) {
  Cluster c;
  c.pool(on_demand().budget("100%").build())
      .node({.name = "a", .type = "c5.large"}, inflate("a", 1))
      .node({.name = "b", .type = "c5.large"}, inflate("b", 2))
      .node({.name = "c", .type = "c5.large"}, inflate("c", 1));
  const Pass first = decide_disruption(c.build(), {});
  ASSERT_EQ(first.moves.size(), 1u) << moves(first);
  Options options;
  options.waiting = first.moves;
  EXPECT_EQ(moves(decide_disruption(c.build(), options)), "");
}

// The object as its cache keeps it if one of its fields has a wrong type.
template <class T>
std::shared_ptr<const T> half_read(T object, std::string_view reason = "") {
  object.conditions.push_back({std::string(model::kUnreadable), "True", std::string(reason), "spec.x: wrong", {}, 0});
  return std::make_shared<const T>(std::move(object));
}

struct Blocked {
  const char* message;
  void (*block)(scheduling::Snapshot&);
};

TEST(Disruption, WhatKeepsANodeIsSaid) {
  for (const auto& [message, block] : {
           Blocked{"Node is nominated for a pending pod", [](scheduling::Snapshot& s) { s.nodes[0].nominated = true; }},
           Blocked{"Node is deleting or marked for deletion",
                   [](scheduling::Snapshot& s) { s.nodes[0].marked_for_deletion = true; }},
           Blocked{"Pod has \"karpenter.sh/do-not-disrupt\" annotation (Pod=default/a-0)",
                   [](scheduling::Snapshot& s) {
                     model::Pod pod = *s.nodes[0].pods[0];
                     pod.meta.annotations["karpenter.sh/do-not-disrupt"] = "true";
                     s.nodes[0].pods.edit()[0] = std::make_shared<const model::Pod>(pod);
                   }},
           Blocked{"Pdb prevents pod evictions (PodDisruptionBudget=[default/all])",
                   [](scheduling::Snapshot& s) {
                     model::PodDisruptionBudget budget;
                     budget.meta.ns = "default";
                     budget.meta.name = "all";
                     budget.selector.emplace();
                     s.disruption_budgets.push_back(std::make_shared<const model::PodDisruptionBudget>(budget));
                   }},
           Blocked{"Pod default/a-0 cannot be read: spec.x: wrong",
                   [](scheduling::Snapshot& s) { s.nodes[0].pods.edit()[0] = half_read(*s.nodes[0].pods[0]); }},
           Blocked{"Pod default/z cannot be read: spec.x: wrong",
                   [](scheduling::Snapshot& s) {
                     s.pending.push_back(half_read(PodBuilder("z").build(), model::kNodeUnknown));
                   }},
           Blocked{"NodeClaim claim-a cannot be read: spec.x: wrong",
                   [](scheduling::Snapshot& s) { s.nodes[0].claim = half_read(*s.nodes[0].claim); }},
           Blocked{"Node a cannot be read: spec.x: wrong",
                   [](scheduling::Snapshot& s) { s.nodes[0].node = half_read(*s.nodes[0].node); }},
           Blocked{"NodePool default cannot be read: spec.x: wrong",
                   [](scheduling::Snapshot& s) { s.pools[0].pool = half_read(*s.pools[0].pool); }},
           Blocked{"NodePool not found (NodePool=default): EC2NodeClass default cannot be read: spec.x: wrong",
                   [](scheduling::Snapshot& s) {
                     s.pools[0].types = nullptr;
                     s.pools[0].not_ready = "EC2NodeClass default cannot be read: spec.x: wrong";
                   }},
       }) {
    Cluster c;
    c.pool(on_demand().build()).node({.name = "a"}, inflate("a", 1));
    scheduling::Snapshot snapshot = c.build();
    block(snapshot);
    const Pass pass = decide_disruption(snapshot, {});
    EXPECT_TRUE(pass.moves.empty()) << message;
    ASSERT_TRUE(pass.kept.contains("a")) << message;
    EXPECT_EQ(pass.kept.at("a").message, message);
  }
}

// An unreadable pod keeps an otherwise empty node, and one that drift would replace in spite of its pods.
TEST(Disruption, AnUnreadablePodKeepsADriftedNodeWithAGracePeriod) {
  Cluster c;
  c.pool(on_demand().build()).node({.name = "a"}, inflate("a", 1));
  scheduling::Snapshot snapshot = c.build();
  model::NodeClaim claim = *snapshot.nodes[0].claim;
  claim.termination_grace_period = 1h;
  claim.conditions.push_back({std::string(model::kDrifted), "True", "NodePoolDrifted", "", {}, 0});
  snapshot.nodes[0].claim = std::make_shared<const model::NodeClaim>(claim);
  EXPECT_FALSE(decide_disruption(snapshot, {}).moves.empty());
  model::Pod daemon = *snapshot.nodes[0].pods[0];
  daemon.meta.owners = {{"apps/v1", "DaemonSet", "d", "u", true, true}};
  snapshot.nodes[0].pods.edit()[0] = half_read(daemon);
  EXPECT_TRUE(decide_disruption(snapshot, {}).moves.empty());
}

// The replacements of both NodePools could take the pods of the node that is being removed.
TEST(Disruption, PodsOfANodeThatIsBeingRemovedArePlannedForOnce) {
  Cluster c;
  for (const char* pool : {"default", "other", "third"}) c.pool(PoolBuilder(pool).build());
  c.node({.name = "a"}, inflate("a", 6)).node({.name = "b", .pool = "other"}, inflate("b", 6));
  c.node({.name = "c", .pool = "third"}, inflate("c", 6));
  scheduling::Snapshot snapshot = c.build();
  for (const size_t drifted : {0, 1}) {
    model::NodeClaim claim = *snapshot.nodes[drifted].claim;
    claim.conditions.push_back({std::string(model::kDrifted), "True", "NodePoolDrifted", "", {}, 0});
    snapshot.nodes[drifted].claim = std::make_shared<const model::NodeClaim>(claim);
  }
  snapshot.nodes[2].marked_for_deletion = true;
  const Pass pass = decide_disruption(snapshot, {});
  EXPECT_EQ(pass.moves.size(), 2u);
  std::set<std::string> planned;
  for (const Move& move : pass.moves) {
    for (const auto& node : move.replacements) {
      for (const std::string& pod : node.pods) EXPECT_TRUE(planned.insert(pod).second) << pod;
    }
  }
  EXPECT_EQ(planned.size(), 18u);
}

TEST(Disruption, ASpotNodeIsNotReplacedBySpotUnlessTheGateIsOpen) {
  Cluster c;
  c.pool(PoolBuilder("default").require("karpenter.sh/capacity-type", {"spot"}).build())
      .node({.name = "a", .capacity_type = "spot"}, inflate("a", 1));
  const Pass pass = decide_disruption(c.build(), {});
  EXPECT_TRUE(pass.moves.empty());
}

TEST(Cost, PriorityAndDeletionCostWithinTenPods) {
  model::Pod pod = PodBuilder("a").build();
  EXPECT_EQ(eviction_cost_milli(pod), 1000);
  pod.spec.edit().priority = 1 << 25;
  EXPECT_EQ(eviction_cost_milli(pod), 2000);
  pod.spec.edit().priority = 2'000'000'000;
  EXPECT_EQ(eviction_cost_milli(pod), 10'000);
  pod.spec.edit().priority = 0;
  pod.meta.annotations["controller.kubernetes.io/pod-deletion-cost"] = "-134217728";
  EXPECT_EQ(eviction_cost_milli(pod), 0);
  pod.meta.annotations["controller.kubernetes.io/pod-deletion-cost"] = "much";
  EXPECT_EQ(eviction_cost_milli(pod), 1000);
}

}  // namespace
}  // namespace tenon::disruption
