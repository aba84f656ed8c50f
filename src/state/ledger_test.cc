// SPDX-License-Identifier: Apache-2.0
#include "state/ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/sim.h"

namespace tenon::state {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

model::NodeClaim claim(const std::string& name, const std::string& provider_id = "") {
  model::NodeClaim c;
  c.meta.name = name;
  c.provider_id = provider_id;
  return c;
}

class LedgerTest : public testing::Test {
 protected:
  // Returns "invariant: action: why" of the plan's first violation; empty if there is none.
  std::string violation(std::vector<plan::Action> actions, bool turn = true) {
    plan::Plan plan;
    plan.actions = std::move(actions);
    if (turn) plan.turn = ledger_.turns();
    const auto found = ledger_.violation(plan);
    return found ? found->invariant + " " + std::to_string(found->action) + ": " + found->what : "";
  }
  void observe(const model::NodeClaim& c) { ledger_.claim_changed(c.meta.name, &c); }

  std::unique_ptr<runtime::SimRuntime> sim_ = runtime::make_sim_runtime({});
  Ledger ledger_{*sim_};
};

TEST_F(LedgerTest, OneCallerHoldsTheTurnAndTheOthersDecideAgain) {
  const uint64_t before = ledger_.turns();
  EXPECT_TRUE(ledger_.settled());
  {
    const auto turn = ledger_.take_turn(before);
    ASSERT_TRUE(turn);
    EXPECT_FALSE(ledger_.settled());
    ASSERT_EQ(ledger_.obstacles().size(), 1u);
    EXPECT_EQ(ledger_.obstacles()[0].kind, "Cluster");
    EXPECT_FALSE(ledger_.take_turn(ledger_.turns())) << "it is held";
  }
  EXPECT_TRUE(ledger_.settled());
  EXPECT_FALSE(ledger_.take_turn(before)) << "it was taken since";
  EXPECT_TRUE(ledger_.take_turn(ledger_.turns()));
}

TEST_F(LedgerTest, ADrainIsHeldUntilItIsReleasedOrItsTimeIsUp) {
  std::vector<std::string> released;
  ledger_.on_drain_released([&](const std::string& name) { released.push_back(name); });
  ledger_.hold_drain("c1", sim_->now() + 20s);
  ledger_.hold_drain("c2", sim_->now() + 20s);
  EXPECT_EQ(ledger_.drain_held_until("c1"), sim_->now() + 20s);
  EXPECT_FALSE(ledger_.drain_held_until("c3"));
  EXPECT_THAT(ledger_.held_drains(), ElementsAre("c1", "c2"));
  ledger_.release_drain("c1");
  ledger_.release_drain("c3");
  EXPECT_FALSE(ledger_.drain_held_until("c1"));
  EXPECT_THAT(released, ElementsAre("c1"));
  sim_->run_for(19s);
  EXPECT_TRUE(ledger_.drain_held_until("c2"));
  sim_->run_for(1s);
  EXPECT_FALSE(ledger_.drain_held_until("c2"));
  EXPECT_THAT(ledger_.held_drains(), IsEmpty());
}

TEST_F(LedgerTest, AReleasedDrainAwaitsExpectedAndOpenLaunches) {
  std::vector<std::string> released;
  ledger_.on_drain_released([&](const std::string& name) { released.push_back(name); });
  observe(claim("open"));
  ledger_.expect(claim("expected"));
  ledger_.hold_drain("c1", sim_->now() + 20s);
  ledger_.release_drain("c1");
  observe(claim("open", "aws:///a/i-1"));
  observe(claim("expected"));
  EXPECT_THAT(released, IsEmpty()) << "expected is delivered, and not launched yet";
  EXPECT_TRUE(ledger_.drain_held_until("c1"));
  ledger_.claim_changed("expected", nullptr);
  EXPECT_THAT(released, ElementsAre("c1")) << "a launch that failed is not awaited";
  EXPECT_FALSE(ledger_.drain_held_until("c1"));
}

TEST_F(LedgerTest, TheEndOfAClaimEndsItsEntries) {
  observe(claim("c1", "aws:///a/i-1"));
  ledger_.mark("c1", "n1");
  ledger_.hold_drain("c1", sim_->now() + 20s);
  ledger_.claim_changed("c1", nullptr);
  EXPECT_FALSE(ledger_.drain_held_until("c1"));
  std::vector<scheduling::NodeView> views(1);
  views[0].claim = std::make_shared<const model::NodeClaim>(claim("c1"));
  ledger_.annotate(views, sim_->now());
  EXPECT_FALSE(views[0].marked_for_deletion);
}

TEST_F(LedgerTest, WhatLaunchesOrRemovesNeedsTheTurn) {
  const std::vector<plan::Action> actions{plan::CreateNodeClaim{claim("c1")}, plan::Nominate{"c1", ""},
                                          plan::MarkForDeletion{"c1", "n1"}, plan::PromiseRoom{"n1", {"ns/a"}}};
  for (const plan::Action& action : actions) {
    EXPECT_EQ(violation({action}, false), "turn 0: " + plan::describe(action) + ": the plan does not hold the turn");
    EXPECT_EQ(violation({action}), "");
  }
  EXPECT_EQ(violation({plan::UnmarkForDeletion{"c1"}, plan::ReleaseDrain{"c1"}, plan::DeleteNode{"n1", ""}}, false),
            "");
}

TEST_F(LedgerTest, NoNodeIsNominatedAndMarked) {
  ledger_.mark("c1", "n1");
  EXPECT_EQ(violation({plan::Nominate{"", "n1"}}), "nomination 0: Nominate n1: the node is marked for deletion");
  EXPECT_EQ(violation({plan::Nominate{"c1", ""}}), "nomination 0: Nominate c1: the node is marked for deletion");
  EXPECT_EQ(violation({plan::UnmarkForDeletion{"c1"}, plan::Nominate{"c1", "n1"}}), "");
  ledger_.nominate("n2");
  EXPECT_EQ(violation({plan::Nominate{"c3", "n3"}, plan::MarkForDeletion{"c2", "n2"}}),
            "nomination 1: MarkForDeletion c2: the node is nominated for a pod");
  EXPECT_EQ(violation({plan::Nominate{"c3", "n3"}, plan::MarkForDeletion{"c3", ""}}),
            "nomination 1: MarkForDeletion c3: the node is nominated for a pod");
  EXPECT_EQ(violation({plan::MarkForDeletion{"c3", "n3"}, plan::Nominate{"c3", "n3"}}),
            "nomination 1: Nominate n3: the node is marked for deletion");
  sim_->run_for(20s);
  EXPECT_EQ(violation({plan::MarkForDeletion{"c2", "n2"}}), "") << "the nomination has ended";
}

TEST_F(LedgerTest, RoomIsPromisedOnceAndNotOnMarkedNodes) {
  ledger_.mark("c1", "n1");
  EXPECT_EQ(violation({plan::PromiseRoom{"n1", {"ns/a"}}}),
            "promise 0: PromiseRoom n1: the node is marked for deletion");
  plan::CreateNodeClaim create{.claim = claim(""), .promise = {"ns/a"}};
  EXPECT_EQ(violation({create, plan::PromiseRoom{"n2", {"ns/b", "ns/a"}}}),
            "promise 1: PromiseRoom n2: the plan promises room for ns/a twice");
  EXPECT_EQ(violation({create, plan::PromiseRoom{"n2", {"ns/b"}}}), "");
}

TEST_F(LedgerTest, NoDrainIsHeldForLong) {
  EXPECT_EQ(violation({plan::HoldDrain{"c1", kLongestHold}}, false), "");
  EXPECT_EQ(violation({plan::HoldDrain{"c1", 21s}}, false), "hold 0: HoldDrain c1: for 21s");
}

}  // namespace
}  // namespace tenon::state
