// SPDX-License-Identifier: Apache-2.0
#include "controllers/disruption/events.h"

#include <gtest/gtest.h>

#include "scheduling/testing/cluster.h"

namespace tenon::controllers::disruption {
namespace {

using model::testing::PoolBuilder;
using scheduling::testing::Cluster;
using tenon::disruption::Method;
using tenon::disruption::Move;
using tenon::disruption::Pass;

scheduling::Snapshot two_nodes() {
  Cluster c;
  c.pool(PoolBuilder("default").build()).node({.name = "a"}).node({.name = "b"});
  return c.build();
}

// "kind/name Reason: message", each on a line.
std::string told(const plan::Plan& plan) {
  std::string text;
  for (const plan::Action& action : plan.actions) {
    const auto& event = std::get<plan::RecordEvent>(action);
    text += event.about.kind + "/" + event.about.name + " " + event.reason + ": " + event.message + "\n";
  }
  return text;
}

std::string told_of(const Pass& pass) {
  plan::Plan plan;
  pass_events(two_nodes(), pass, [&](plan::RecordEvent event) { plan.add(std::move(event)); });
  return told(plan);
}

Move replacing(std::vector<std::string> nodes) {
  Move move;
  move.method = Method::kSingleNodeConsolidation;
  move.nodes = std::move(nodes);
  move.savings = *model::parse_price("0.066");
  move.replacements.resize(1);
  return move;
}

TEST(DisruptionEvents, WhatStays) {
  Pass pass;
  pass.kept["a"] = {"DisruptionBlocked", "Node isn't initialized", "node/a"};
  pass.kept["b"] = {"Waiting", "Later", "node/b"};
  const std::string text = told_of(pass);
  EXPECT_NE(text.find("Node/a DisruptionBlocked: Node isn't initialized\n"), std::string::npos) << text;
  EXPECT_NE(text.find("NodeClaim/"), std::string::npos) << text;
  EXPECT_EQ(text.find("Later"), std::string::npos) << text;
}

TEST(DisruptionEvents, BudgetsThatAllowNothingAreToldOfTheirPoolOnce) {
  const std::string words = "No allowed disruptions for disruption reason Empty due to blocking budget";
  Pass pass;
  pass.kept["a"] = {"Budget", words + "; budgets[0]: nodes: what", "nodepool/default"};
  pass.kept["b"] = {"Budget", words, "nodepool/default"};
  EXPECT_EQ(told_of(pass), "NodePool/default DisruptionBlocked: " + words + "\n");
  pass.kept = {{"a", {"Budget", "The budgets let 1 of 2 nodes go", "nodepool/default"}}};
  EXPECT_EQ(told_of(pass), "") << "a budget that is used up is no event";
}

TEST(DisruptionEvents, WhatMayBeReplaced) {
  Pass pass;
  pass.moves = {replacing({"a"})};
  const std::string one = told_of(pass);
  EXPECT_NE(one.find("Node/a ConsolidationCandidate: Consolidation candidate: replace: [a] -> [1 replacement] "
                     "(savings: $0.07)\n"),
            std::string::npos)
      << one;
  pass.moves = {replacing({"a", "b"})};
  const std::string two = told_of(pass);
  EXPECT_NE(two.find("Node/b ConsolidationCandidate: Consolidation candidate: replace: [b] (part of 2-node "
                     "consolidation) (savings: $0.07)\n"),
            std::string::npos)
      << two;
  pass.moves.front().replacements.clear();
  EXPECT_EQ(told_of(pass), "") << "nodes that go without a replacement are not told of";
}

TEST(DisruptionEvents, WhatASecondLookRejects) {
  Move move = replacing({"a"});
  move.replacements.clear();
  const std::string text = told(rejected_events(two_nodes(), move, "churn"));
  EXPECT_NE(text.find("Node/a ConsolidationRejected: Consolidation rejected: delete: [a], reason: churn (savings: "
                      "$0.07)\n"),
            std::string::npos)
      << text;
  move.method = Method::kEmptiness;
  EXPECT_EQ(told(rejected_events(two_nodes(), move, "churn")), "");
}

TEST(DisruptionEvents, WhatBalancedApproves) {
  Move move = replacing({"a"});
  move.approved = {{"default", "score 1.00"}};
  const std::string one = told(approved_events(two_nodes(), move));
  EXPECT_NE(one.find("Node/a ConsolidationApproved: score 1.00\n"), std::string::npos) << one;
  move.nodes = {"a", "b"};
  EXPECT_EQ(told(approved_events(two_nodes(), move)), "NodePool/default ConsolidationApproved: score 1.00\n");
}

}  // namespace
}  // namespace tenon::controllers::disruption
