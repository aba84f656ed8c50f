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

scheduling::Snapshot with_pool(std::vector<scheduling::NodeView> nodes) {
  scheduling::Snapshot s = snapshot(std::move(nodes));
  model::NodePool pool;
  pool.meta.name = "default";
  s.pools = {{std::make_shared<const model::NodePool>(pool), nullptr, ""}};
  return s;
}

Command command() {
  Command c;
  c.move.reason = "Underutilized";
  c.move.nodes = {"node-a", "node-b"};
  c.move.savings = *model::parse_price("0.07");
  c.move.method = tenon::disruption::Method::kMultiNodeConsolidation;
  c.move.replacements.resize(1);
  c.move.replacements[0].pool = "default";
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
  const plan::Plan plan = decide_start(with_pool({node("a"), node("b")}), command().move);
  ASSERT_EQ(all<plan::PatchNode>(plan).size(), 2u);
  EXPECT_EQ(all<plan::PatchNode>(plan)[0]->after.taints.front().key, "karpenter.sh/disrupted");
  const auto& conditions = all<plan::PatchNodeClaim>(plan)[0]->after.conditions;
  EXPECT_EQ(model::find_condition(conditions, "DisruptionReason")->reason, "Underutilized");
}

// Marks come before the replacements, whose launch must fit in the limits; all of it is one group.
TEST(DisruptionCommand, StartMarksThenCreatesThenPromises) {
  Command c = command();
  c.move.replacements[0].pods = {"default/p"};
  c.move.pods_to_existing["node-c"] = {"default/q"};
  const plan::Plan plan = decide_start(with_pool({node("a"), node("b"), node("c")}), c.move);
  EXPECT_EQ(plan.groups, std::vector<size_t>{0});
  std::vector<std::string> order;
  for (const plan::Action& action : plan.actions) order.push_back(plan::describe(action));
  EXPECT_EQ(order, (std::vector<std::string>{"PatchNode node-a", "PatchNodeClaim claim-a", "MarkForDeletion claim-a",
                                             "PatchNode node-b", "PatchNodeClaim claim-b", "MarkForDeletion claim-b",
                                             "CreateNodeClaim default-", "Nominate node-c", "PromiseRoom node-c"}));
  const auto& create = *plan::find<plan::CreateNodeClaim>(plan);
  EXPECT_EQ(create.why, "underutilized");
  EXPECT_TRUE(create.nominate);
  EXPECT_EQ(create.promise, std::vector<std::string>{"default/p"});
  EXPECT_EQ(plan::find<plan::Nominate>(plan)->claim, "claim-c");
}

TEST(DisruptionCommand, APlanHasItsProposalInWords) {
  tenon::disruption::Move move = command().move;
  move.replacements[0].launch = {"m5.large", "us-east-1a", "use1-az1", "on-demand", "", *model::parse_price("0.096")};
  const scheduling::Snapshot now = with_pool({node("a"), node("b")});
  const auto proposals = decide_start(now, move).proposals;
  ASSERT_EQ(proposals.size(), 1u);
  EXPECT_EQ(proposals[0], (plan::Proposal{"WouldDisrupt", "node-a,node-b",
                                          "remove node-a, node-b of nodepools=[default] (Underutilized) and launch "
                                          "on-demand m5.large in us-east-1a at $0.096/h, which saves $0.07/h",
                                          "default"}));
  move.reason = "Drifted";
  move.savings = model::Price() - move.savings;
  EXPECT_TRUE(propose(move, now).message.ends_with("at $0.096/h, which costs $0.07/h more"));
  move.replacements.clear();
  move.savings = {};
  EXPECT_EQ(propose(move, now).message, "remove node-a, node-b of nodepools=[default] (Drifted), which saves $0/h");
}

TEST(DisruptionCommand, NothingStartsIfANodeOrAPoolHasGone) {
  EXPECT_TRUE(decide_start(with_pool({node("a")}), command().move).proposals.empty());
  EXPECT_TRUE(decide_start(with_pool({node("a")}), command().move).actions.empty());
  EXPECT_TRUE(decide_start(snapshot({node("a"), node("b")}), command().move).actions.empty());
}

TEST(DisruptionCommand, EmptyNodesStartAlone) {
  tenon::disruption::Move move{.reason = "Empty", .nodes = {"node-a", "node-gone", "node-b"}};
  const plan::Plan plan = decide_start(snapshot({node("a"), node("b")}), move);
  EXPECT_EQ(plan.groups, (std::vector<size_t>{0, 3}));
  EXPECT_EQ(all<plan::MarkForDeletion>(plan).size(), 2u);
}

TEST(DisruptionCommand, AStartThatFailedIsTakenBack) {
  model::NodeClaim created;
  created.meta.name = "claim-r";
  const plan::Plan plan = decide_undo({created}, {"claim-a"});
  EXPECT_EQ(plan.groups, (std::vector<size_t>{0, 1})) << "marks go even if a deletion fails";
  EXPECT_EQ(all<plan::DeleteNodeClaim>(plan)[0]->claim.meta.name, "claim-r");
  EXPECT_EQ(all<plan::UnmarkForDeletion>(plan)[0]->claim, "claim-a");
}

TEST(DisruptionCommand, WaitsForReplacementsThenDeletes) {
  const auto waiting = decide_progress(snapshot({node("a"), node("b"), node("r", false)}), command(), 2);
  EXPECT_EQ(waiting.again, kTick);
  EXPECT_TRUE(all<plan::DeleteNodeClaim>(waiting).empty());
  EXPECT_EQ(all<plan::RecordEvent>(waiting)[1]->reason, "DisruptionWaitingReadiness");

  const auto done = decide_progress(snapshot({node("a"), node("b"), node("r")}), command(), 2);
  EXPECT_FALSE(done.again);
  EXPECT_FALSE(rolls_back(done));
  ASSERT_EQ(all<plan::DeleteNodeClaim>(done).size(), 2u);
  EXPECT_EQ(all<plan::DeleteNodeClaim>(done)[0]->why, "underutilized");
  EXPECT_EQ(all<plan::RecordEvent>(done)[0]->message, "Disrupting Node: Underutilized");
}

scheduling::NodeView tainted(const std::string& name) {
  auto view = node(name);
  const auto plan = decide_start(snapshot({view}), {.reason = "Underutilized", .nodes = {"node-" + name}});
  view.node = std::make_shared<const model::Node>(all<plan::PatchNode>(plan)[0]->after);
  view.claim = std::make_shared<const model::NodeClaim>(all<plan::PatchNodeClaim>(plan)[0]->after);
  return view;
}

TEST(DisruptionCommand, RollsBackWhenAReplacementIsLostOrLate) {
  const auto lost = decide_progress(snapshot({tainted("a"), tainted("b")}), command(), 2);
  EXPECT_TRUE(rolls_back(lost));
  EXPECT_FALSE(lost.again);
  EXPECT_EQ(all<plan::UnmarkForDeletion>(lost).size(), 2u);
  ASSERT_EQ(all<plan::PatchNode>(lost).size(), 2u);
  EXPECT_TRUE(all<plan::PatchNode>(lost)[0]->after.taints.empty());
  EXPECT_EQ(model::find_condition(all<plan::PatchNodeClaim>(lost)[0]->after.conditions, "DisruptionReason"), nullptr);

  auto late = snapshot({tainted("a"), tainted("b"), node("r", false)});
  late.now = kNow + 10min;
  EXPECT_TRUE(decide_progress(late, command(), 2).again);
  late.now += 1s;
  const auto failed = decide_progress(late, command(), 2);
  EXPECT_TRUE(rolls_back(failed));
  EXPECT_TRUE(all<plan::DeleteNodeClaim>(failed).empty()) << "its registration is waited for";
}

TEST(DisruptionCommand, RollingBackLeavesNoReplacementThatNobodyUses) {
  Command three = command();
  three.replacements = {"claim-lost", "claim-r", "claim-used"};
  auto used = node("used");
  used.pods.edit().push_back(std::make_shared<const model::Pod>());
  const auto lost = decide_progress(snapshot({tainted("a"), tainted("b"), node("r", false), used}), three, 2);
  EXPECT_TRUE(rolls_back(lost));
  EXPECT_FALSE(lost.again);
  EXPECT_EQ(all<plan::UnmarkForDeletion>(lost).size(), 2u);
  ASSERT_EQ(all<plan::DeleteNodeClaim>(lost).size(), 1u);
  EXPECT_EQ(all<plan::DeleteNodeClaim>(lost)[0]->claim.meta.name, "claim-r");
}

TEST(DisruptionCommand, AFreezeRollsBackAndDeletesNothing) {
  auto ready = node("r");
  auto ending = tainted("b");
  ending.marked_for_deletion = true;
  model::NodeClaim going = *ending.claim;
  going.meta.deleted_at = kNow;
  ending.claim = std::make_shared<const model::NodeClaim>(going);
  const auto plan = decide_frozen(snapshot({tainted("a"), ending, ready}), command());
  EXPECT_TRUE(rolls_back(plan));
  EXPECT_TRUE(all<plan::DeleteNodeClaim>(plan).empty()) << "neither a node nor its replacement, ready or not";
  ASSERT_EQ(all<plan::PatchNode>(plan).size(), 1u) << "what is being deleted is not rescued";
  EXPECT_EQ(all<plan::PatchNode>(plan)[0]->after.meta.name, "node-a");
  EXPECT_TRUE(all<plan::PatchNode>(plan)[0]->after.taints.empty());
}

TEST(DisruptionCommand, CleanupFreesOnlyNodesThatNobodyHolds) {
  const scheduling::Snapshot now = snapshot({tainted("a"), tainted("b"), node("c")});
  const std::vector<std::string> nodes = left_over(now, {"node-b"});
  EXPECT_EQ(nodes, std::vector<std::string>{"node-a"});
  const plan::Plan plan = decide_cleanup(now, nodes);
  ASSERT_EQ(all<plan::PatchNode>(plan).size(), 1u);
  EXPECT_EQ(all<plan::PatchNode>(plan)[0]->after.meta.name, "node-a");
}

TEST(DisruptionCommand, DescribesItself) {
  EXPECT_EQ(describe(command(), snapshot({node("a"), node("b")})),
            "Underutilized: replace: nodepools=[default]: [node-a, node-b] -> [1 replacement] (savings: $0.07)");
}

}  // namespace
}  // namespace tenon::controllers::disruption
