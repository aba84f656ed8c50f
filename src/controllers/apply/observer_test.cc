// SPDX-License-Identifier: Apache-2.0
#include "controllers/apply/observer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/testing/wired.h"
#include "json/json.h"

namespace tenon::controllers {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

plan::Proposal launch(const std::string& pods, const std::string& message = "launch m5.large at $0.1/h") {
  return {plan::kWouldLaunch, pods, message, "default"};
}

class ObserverTest : public ::testing::Test {
 protected:
  // Returns the lines that the plan caused.
  std::vector<std::string> lines_of(const plan::Plan& plan) {
    const size_t before = wired_.log->lines().size();
    const auto done = observer_.apply(plan, {});
    EXPECT_TRUE(done) << done.error().message;
    std::vector<std::string> texts;
    const auto all = wired_.log->lines();
    for (size_t i = before; i < all.size(); ++i) texts.push_back(all[i].message);
    return texts;
  }
  std::vector<std::string> lines_of(std::vector<plan::Proposal> proposals) {
    plan::Plan plan;
    plan.proposals = std::move(proposals);
    return lines_of(plan);
  }

  testing::Wired wired_;
  Observer observer_{
      {*wired_.sim, wired_.events, wired_.ledger, tenon::log::Logger(wired_.log)}, "kube-system", "tenon-observer"};
};

TEST_F(ObserverTest, ReportsAProposalOnceUntilItsWordsChange) {
  const std::string line = "observed: would launch m5.large at $0.1/h";
  EXPECT_THAT(lines_of({launch("a"), launch("b")}), ElementsAre(line, line));
  EXPECT_THAT(lines_of({launch("a"), launch("b")}), IsEmpty());
  EXPECT_THAT(lines_of({launch("a", "launch c5.large at $0.08/h")}),
              ElementsAre("observed: would launch c5.large at $0.08/h"));
  EXPECT_THAT(lines_of({launch("a")}), ElementsAre(line));
  EXPECT_THAT(lines_of({{plan::kWouldDisrupt, "a", "remove a"}}), ElementsAre("observed: would remove a"));
}

TEST_F(ObserverTest, ReportsAProposalAgainIfNoPassMadeItForAnHour) {
  EXPECT_EQ(lines_of({launch("a")}).size(), 1u);
  for (int i = 0; i < 3; ++i) {
    wired_.sim->run_for(kProposalForgotten - 1s);
    EXPECT_THAT(lines_of({launch("a")}), IsEmpty()) << "it is still made";
  }
  wired_.sim->run_for(kProposalForgotten);
  EXPECT_EQ(lines_of({launch("a")}).size(), 1u);
}

TEST_F(ObserverTest, RemembersALimitedNumber) {
  EXPECT_EQ(lines_of({launch("first")}).size(), 1u);
  wired_.sim->run_for(1s);
  std::vector<plan::Proposal> many;
  for (size_t i = 0; i < kMaxProposals; ++i) many.push_back(launch(std::to_string(i)));
  EXPECT_EQ(lines_of(many).size(), kMaxProposals);
  EXPECT_THAT(lines_of(many), IsEmpty());
  EXPECT_EQ(lines_of({launch("first")}).size(), 1u);
}

// The plan of a launch and that of a move, with everything that the Applier would do.
TEST_F(ObserverTest, PerformsNothing) {
  model::NodeClaim claim;
  claim.meta.generate_name = "default-";
  claim.meta.name = "default-x";
  plan::Plan plan;
  plan.turn = wired_.ledger.turns();
  plan.add(plan::MarkForDeletion{"default-x", "n"});
  plan.add(plan::CreateNodeClaim{.claim = claim, .nominate = true, .promise = {"default/a"}});
  plan.add(plan::Nominate{"default-x", "n"});
  plan.add(plan::PromiseRoom{"n", {"default/a"}});
  plan.add(plan::DeleteNodeClaim{claim, "empty"});
  plan.add(plan::LaunchInstance{claim, {}, {}});
  plan.event({"v1", "Pod", "default", "a", ""}, "Normal", "Nominated", "Pod should schedule on: nodeclaim/default-x");
  plan.proposals = {launch("default/a")};
  Outcome outcome;
  ASSERT_TRUE(observer_.apply(plan, outcome, {}));
  EXPECT_THAT(outcome.performed, IsEmpty());
  EXPECT_THAT(outcome.failures, IsEmpty());
  EXPECT_THAT(outcome.created, IsEmpty());
  EXPECT_THAT(outcome.launched, IsEmpty());
  EXPECT_TRUE(observer_.observes());
  EXPECT_THAT(wired_.api.requests(), IsEmpty());
  EXPECT_THAT(wired_.ledger.expected(), IsEmpty());
  model::Node node;
  node.meta.name = "n";
  std::vector<scheduling::NodeView> views(1);
  views[0].node = std::make_shared<const model::Node>(node);
  views[0].claim = std::make_shared<const model::NodeClaim>(claim);
  wired_.ledger.annotate(views, wired_.sim->now());
  EXPECT_FALSE(views[0].nominated);
  EXPECT_FALSE(views[0].deleting());
  Outcome stale;
  EXPECT_EQ(observer_.apply(plan, stale, {}).error().code, Code::kConflict);
  EXPECT_TRUE(stale.turn_lost);
}

TEST_F(ObserverTest, WritesOneEventOfAPlanAboutItsLease) {
  wired_.events.start();
  lines_of({launch("a"), launch("b", "launch c5.large"), {plan::kWouldDisrupt, "n", "remove n"}});
  lines_of({launch("a")});
  wired_.sim->run_for(10s);
  const std::string create = "POST /api/v1/namespaces/kube-system/events";
  EXPECT_THAT(wired_.api.requests(), ElementsAre(create, create));
  const json::value last = *json::parse(wired_.api.last_request().body);
  EXPECT_EQ(json::string_at(last, {"reason"}), "WouldDisrupt");
  EXPECT_EQ(json::string_at(last, {"message"}), "Would remove n");
  EXPECT_EQ(json::string_at(last, {"involvedObject", "kind"}), "Lease");
  EXPECT_EQ(json::string_at(last, {"involvedObject", "namespace"}), "kube-system");
  EXPECT_EQ(json::string_at(last, {"involvedObject", "name"}), "tenon-observer");
  lines_of({launch("c"), launch("d", "launch c5.large")});
  wired_.sim->run_for(10s);
  EXPECT_EQ(json::string_at(*json::parse(wired_.api.last_request().body), {"message"}),
            "2 decisions: Would launch m5.large at $0.1/h; launch c5.large");
}

}  // namespace
}  // namespace tenon::controllers
