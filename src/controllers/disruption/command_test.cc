// SPDX-License-Identifier: Apache-2.0
#include "controllers/disruption/command.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tenon::controllers::disruption {
namespace {

const Instant kNow(1'000'000s);

scheduling::NodeView node(const std::string& name, bool initialized = true) {
  model::Node n;
  n.meta.name = "node-" + name;
  n.meta.uid = "n-" + name;
  n.provider_id = "aws:///a/" + name;
  n.meta.labels = {{"karpenter.sh/nodepool", "default"}, {"karpenter.sh/registered", "true"}};
  model::NodeClaim c;
  c.meta.name = "claim-" + name;
  c.meta.uid = "c-" + name;
  c.meta.labels = {{"karpenter.sh/nodepool", "default"}};
  c.provider_id = n.provider_id;
  if (initialized) {
    c.conditions = {{"Initialized", "True", "Initialized", "", kNow}};
    n.meta.labels["karpenter.sh/initialized"] = "true";
  }
  scheduling::NodeView view;
  view.node = std::make_shared<const model::Node>(n);
  view.claim = std::make_shared<const model::NodeClaim>(c);
  return view;
}

scheduling::Snapshot snapshot(std::vector<scheduling::NodeView> nodes) {
  scheduling::Snapshot s;
  s.now = kNow;
  s.nodes = std::move(nodes);
  return s;
}

Command command() {
  Command c;
  c.move.reason = "Underutilized";
  c.move.nodes = {"node-a", "node-b"};
  c.move.savings = *model::parse_price("0.07");
  c.move.replacements.resize(1);
  c.claims = {"claim-a", "claim-b"};
  c.replacements = {"claim-r"};
  c.started_at = kNow;
  return c;
}

template <class A>
std::vector<const A*> all(const plan::Plan& plan) {
  std::vector<const A*> found;
  for (const auto& action : plan.actions) {
    if (const auto* a = std::get_if<A>(&action)) found.push_back(a);
  }
  return found;
}

TEST(DisruptionCommand, StartTaintsAndNamesTheReason) {
  const auto plan = decide_start(snapshot({node("a"), node("b")}), command().move);
  ASSERT_TRUE(plan);
  ASSERT_EQ(all<plan::PatchNode>(*plan).size(), 2u);
  EXPECT_EQ(all<plan::PatchNode>(*plan)[0]->after.taints.front().key, "karpenter.sh/disrupted");
  const auto& conditions = all<plan::PatchNodeClaim>(*plan)[0]->after.conditions;
  EXPECT_EQ(model::find_condition(conditions, "DisruptionReason")->reason, "Underutilized");
}

TEST(DisruptionCommand, StartFailsIfANodeHasGone) {
  EXPECT_EQ(decide_start(snapshot({node("a")}), command().move).error().code, Code::kConflict);
}

TEST(DisruptionCommand, WaitsForReplacementsThenDeletes) {
  const auto waiting = decide_progress(snapshot({node("a"), node("b"), node("r", false)}), command(), 2);
  EXPECT_EQ(waiting.state, Progress::State::kWaiting);
  EXPECT_TRUE(all<plan::DeleteNodeClaim>(waiting.plan).empty());
  EXPECT_EQ(all<plan::RecordEvent>(waiting.plan)[1]->reason, "DisruptionWaitingReadiness");

  const auto done = decide_progress(snapshot({node("a"), node("b"), node("r")}), command(), 2);
  EXPECT_EQ(done.state, Progress::State::kDone);
  ASSERT_EQ(all<plan::DeleteNodeClaim>(done.plan).size(), 2u);
  EXPECT_EQ(all<plan::DeleteNodeClaim>(done.plan)[0]->why, "underutilized");
  EXPECT_EQ(all<plan::RecordEvent>(done.plan)[0]->message, "Disrupting Node: Underutilized");
}

scheduling::NodeView tainted(const std::string& name) {
  auto view = node(name);
  const auto plan = decide_start(snapshot({view}), {.reason = "Underutilized", .nodes = {"node-" + name}});
  view.node = std::make_shared<const model::Node>(all<plan::PatchNode>(*plan)[0]->after);
  view.claim = std::make_shared<const model::NodeClaim>(all<plan::PatchNodeClaim>(*plan)[0]->after);
  return view;
}

TEST(DisruptionCommand, RollsBackWhenAReplacementIsLostOrLate) {
  const auto lost = decide_progress(snapshot({tainted("a"), tainted("b")}), command(), 2);
  EXPECT_EQ(lost.state, Progress::State::kFailed);
  ASSERT_EQ(all<plan::PatchNode>(lost.plan).size(), 2u);
  EXPECT_TRUE(all<plan::PatchNode>(lost.plan)[0]->after.taints.empty());
  EXPECT_EQ(model::find_condition(all<plan::PatchNodeClaim>(lost.plan)[0]->after.conditions, "DisruptionReason"),
            nullptr);

  auto late = snapshot({tainted("a"), tainted("b"), node("r", false)});
  late.now = kNow + 10min;
  EXPECT_EQ(decide_progress(late, command(), 2).state, Progress::State::kWaiting);
  late.now += 1s;
  const auto failed = decide_progress(late, command(), 2);
  EXPECT_EQ(failed.state, Progress::State::kFailed);
  EXPECT_TRUE(all<plan::DeleteNodeClaim>(failed.plan).empty()) << "its registration is waited for";
}

TEST(DisruptionCommand, RollingBackLeavesNoReplacementThatNobodyUses) {
  Command three = command();
  three.replacements = {"claim-lost", "claim-r", "claim-used"};
  auto used = node("used");
  used.pods.edit().push_back(std::make_shared<const model::Pod>());
  const auto lost = decide_progress(snapshot({tainted("a"), tainted("b"), node("r", false), used}), three, 2);
  EXPECT_EQ(lost.state, Progress::State::kFailed);
  ASSERT_EQ(all<plan::DeleteNodeClaim>(lost.plan).size(), 1u);
  EXPECT_EQ(all<plan::DeleteNodeClaim>(lost.plan)[0]->claim.meta.name, "claim-r");
}

TEST(DisruptionCommand, CleanupFreesOnlyNodesThatNobodyHolds) {
  const auto [plan, nodes] = decide_cleanup(snapshot({tainted("a"), tainted("b"), node("c")}), {"node-b"});
  EXPECT_EQ(nodes, std::vector<std::string>{"node-a"});
  ASSERT_EQ(all<plan::PatchNode>(plan).size(), 1u);
  EXPECT_EQ(all<plan::PatchNode>(plan)[0]->after.meta.name, "node-a");
}

TEST(DisruptionCommand, DescribesItself) {
  EXPECT_EQ(describe(command(), snapshot({node("a"), node("b")})),
            "Underutilized: replace: nodepools=[default]: [node-a, node-b] -> [1 replacement] (savings: $0.07)");
}

}  // namespace
}  // namespace tenon::controllers::disruption
