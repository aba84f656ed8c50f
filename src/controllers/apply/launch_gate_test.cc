// SPDX-License-Identifier: Apache-2.0
#include "controllers/apply/launch_gate.h"

#include <gtest/gtest.h>

#include "controllers/testing/wired.h"
#include "model/labels.h"

namespace tenon::controllers {
namespace {

constexpr const char* kClaims = "/apis/karpenter.sh/v1/nodeclaims";
constexpr const char* kNodeClasses = "/apis/karpenter.k8s.aws/v1/ec2nodeclasses";
constexpr const char* kConfigMaps = "/api/v1/configmaps";

model::NodeClaim claim(const std::string& name) {
  model::NodeClaim c;
  c.meta.name = name;
  c.meta.generate_name = name.empty() ? "default-" : "";
  c.meta.uid = "uid-" + name;
  c.meta.labels = {{std::string(model::kLabelNodePool), "default"}};
  c.meta.owners.push_back({.api_version = "karpenter.sh/v1", .kind = "NodePool", .name = "default", .uid = "p1"});
  c.node_class_ref = {"karpenter.k8s.aws", "EC2NodeClass", "default"};
  return c;
}

model::NodeClass node_class() {
  model::NodeClass c;
  c.meta.name = "default";
  c.conditions = {{"Ready", "True", "Ready", "", {}, 0}};
  return c;
}

// A gate, and an executor behind it.
class LaunchGateTest : public ::testing::Test {
 protected:
  LaunchGateTest() {
    model::InstanceType type;
    type.name = "m5.large";
    type.offerings = {{.zone = "a", .zone_id = "", .capacity_type = "on-demand", .price = *model::parse_price("0.1")}};
    w_.cloud.types = {type};
    EXPECT_TRUE(w_.cloud.instance_types(node_class(), {}));
    w_.api.put(kNodeClasses, R"({"metadata":{"name":"default","uid":"k1"},"spec":{},"status":{"conditions":[)"
                             R"({"type":"Ready","status":"True","reason":"Ready","message":""}]}})");
  }

  void use(state::Caps caps) {
    gate_ = std::make_unique<LaunchGate>(LaunchGate::Services{*w_.sim, w_.cluster, freeze_, w_.cloud, w_.cloud}, caps);
    applier_ = std::make_unique<Applier>(
        Applier::Services{*w_.sim, *w_.client, w_.events, w_.cloud, w_.ledger, log::Logger(w_.log), gate_.get()},
        ApplierCallbacks{.held = [this](const state::Hold& hold) { held_.push_back(hold.by); }},
        Applier::Options{.abort_on_violation = true});
    w_.cluster.start();
    freeze_.start();
    w_.events.start();
    w_.sim->run_for(1s);
  }
  void freeze(const std::string& data) {
    w_.api.put(kConfigMaps, R"({"metadata":{"name":"tenon-freeze","namespace":"karpenter"},"data":{)" + data + "}}");
    w_.sim->run_for(1s);
  }
  void thaw() {
    w_.api.remove(kConfigMaps, "karpenter/tenon-freeze");
    w_.sim->run_for(1s);
  }
  // Performs a plan that creates claims, `together` in each group.
  Outcome create(size_t groups, size_t together = 1) {
    plan::Plan plan;
    plan.turn = w_.ledger.turns();
    for (size_t i = 0; i < groups; ++i) {
      plan.begin_group();
      for (size_t n = 0; n < together; ++n) {
        plan::CreateNodeClaim create{.claim = claim("")};
        create.events = {{{"v1", "Pod", "default", "pod-" + std::to_string(i), "u"}, "Normal", "Nominated", "on: "}};
        plan.add(create);
      }
    }
    return perform(plan);
  }
  Outcome launch(const std::string& name) {
    plan::Plan plan;
    plan.add(plan::LaunchInstance{claim(name), node_class(), nullptr});
    return perform(plan);
  }
  Outcome perform(const plan::Plan& plan) {
    Outcome outcome;
    const Status done = applier_->apply(plan, outcome, {});
    EXPECT_TRUE(done) << done.error().message;
    outcome.turn.reset();
    return outcome;
  }
  size_t instances() { return w_.cloud.list({})->size(); }
  size_t claims() const { return w_.api.count(kClaims); }

  testing::Wired w_;
  state::FreezeWatch freeze_{*w_.sim, *w_.client, "karpenter"};
  std::vector<std::string> held_;
  std::unique_ptr<LaunchGate> gate_;
  std::unique_ptr<Applier> applier_;
};

TEST_F(LaunchGateTest, WithoutFreezeAndCapsNothingIsHeldBack) {
  use({});
  EXPECT_TRUE(create(3).held.empty());
  EXPECT_EQ(claims(), 3u);
  EXPECT_TRUE(launch("a").held.empty());
  EXPECT_EQ(instances(), 1u);
}

TEST_F(LaunchGateTest, BeforeTheConfigMapIsKnownNothingIsLaunched) {
  gate_ = std::make_unique<LaunchGate>(LaunchGate::Services{*w_.sim, w_.cluster, freeze_, w_.cloud, w_.cloud},
                                       state::Caps());
  const model::NodeClaim one = claim("");
  const auto holds = gate_->judge_creates({{&one}});
  ASSERT_TRUE(holds[0]);
  EXPECT_EQ(holds[0]->by, "freeze");
  EXPECT_TRUE(holds[0]->until) << "no change of the ConfigMap ends this hold";
  EXPECT_TRUE(gate_->judge_disruption());
}

TEST_F(LaunchGateTest, AFreezeOfLaunchesHoldsBackCreatesAndTellsWhy) {
  use({});
  freeze(R"("launches":"true","reason":"incident 7")");
  const Outcome outcome = create(2);
  EXPECT_EQ(claims(), 0u);
  ASSERT_EQ(outcome.held.size(), 2u);
  EXPECT_EQ(outcome.held.at(0).message, "launches are frozen by ConfigMap karpenter/tenon-freeze (incident 7)");
  EXPECT_FALSE(outcome.retry_at()) << "it ends with the ConfigMap";
  EXPECT_TRUE(outcome.performed.empty());
  EXPECT_EQ(held_, (std::vector<std::string>{"freeze", "freeze"}));
  create(2);
  EXPECT_EQ(w_.log->messages(log::Level::kWarn),
            std::vector<std::string>{"launches are frozen by ConfigMap karpenter/tenon-freeze (incident 7)"})
      << "one line a minute";
  w_.sim->run_for(1s);
  EXPECT_EQ(w_.api.count("/api/v1/events"), 3u) << "on both pods and on the NodePool";
  thaw();
  EXPECT_TRUE(create(2).held.empty());
  EXPECT_EQ(claims(), 2u);
}

TEST_F(LaunchGateTest, AFreezeOfLaunchesHoldsBackClaimsThatExist) {
  use({});
  freeze(R"("launches":"true")");
  const Outcome outcome = launch("mine");
  EXPECT_EQ(outcome.held.count(0), 1u);
  EXPECT_TRUE(outcome.launched.empty() && outcome.performed.empty());
  EXPECT_EQ(instances(), 0u);
  thaw();
  EXPECT_EQ(launch("mine").launched.size(), 1u);
}

TEST_F(LaunchGateTest, AFreezeOfDisruptionHoldsBackTheStartOfCommandsOnly) {
  use({});
  freeze(R"("disruption":"true")");
  plan::Plan plan;
  plan.turn = w_.ledger.turns();
  plan.begin_group();
  plan.add(plan::MarkForDeletion{"c1", "n1"});
  plan.add(plan::CreateNodeClaim{.claim = claim("")});
  plan.begin_group();
  plan.add(plan::CreateNodeClaim{.claim = claim("")});
  const Outcome outcome = perform(plan);
  EXPECT_EQ(claims(), 1u) << "the group is held back as a whole, the launch for pods is not";
  EXPECT_EQ(outcome.performed, std::set<size_t>{2});
  EXPECT_EQ(outcome.held.at(0).message, "voluntary disruption is frozen by ConfigMap karpenter/tenon-freeze");
  EXPECT_TRUE(launch("mine").held.empty());
}

TEST_F(LaunchGateTest, AFirstRangeThatIsHeldBackHoldsThePlanBack) {
  use({});
  freeze(R"("launches":"true")");
  plan::Plan plan;
  plan.turn = w_.ledger.turns();
  plan.add(plan::CreateNodeClaim{.claim = claim("")});
  plan.begin_group();
  plan.add(plan::DeleteNodeClaim{claim("gone"), "empty"});
  EXPECT_TRUE(perform(plan).performed.empty());
  EXPECT_EQ(w_.api.requests_with("DELETE"), 0u);
}

TEST_F(LaunchGateTest, CreatesOfAMinuteStayBelowTheCap) {
  use({.launches_per_minute = 2});
  const Outcome outcome = create(4);
  EXPECT_EQ(claims(), 2u);
  EXPECT_EQ(outcome.performed, (std::set<size_t>{0, 1}));
  ASSERT_TRUE(outcome.retry_at());
  EXPECT_GE(*outcome.retry_at() - w_.sim->now(), Duration(59s));
  EXPECT_LE(*outcome.retry_at() - w_.sim->now(), Duration(61s));
  w_.sim->run_for(55s);
  for (const auto& one : w_.cluster.claims.list()) w_.api.remove(kClaims, one->meta.name);
  w_.sim->run_for(1s);
  ASSERT_EQ(w_.cluster.claims.size(), 0u);
  EXPECT_EQ(create(1).held.size(), 1u) << "a claim that was deleted counts, too";
  w_.sim->run_until([&] { return w_.sim->now() >= *outcome.retry_at(); }, 1min);
  EXPECT_TRUE(create(2).held.empty());
  EXPECT_EQ(create(1, 2).held.at(0).message,
            "launches are held back by --max-launches-per-minute: 2 in the last minute and 2 more at once, limit 2");
}

TEST_F(LaunchGateTest, CreatesThatTheServerRejectsDoNotCount) {
  use({.launches_per_minute = 1});
  w_.api.fail_next(1, 422);
  plan::Plan plan;
  plan.turn = w_.ledger.turns();
  plan.begin_group();
  plan.add(plan::CreateNodeClaim{.claim = claim("")});
  Outcome outcome;
  EXPECT_FALSE(applier_->apply(plan, outcome, {}));
  outcome.turn.reset();
  EXPECT_TRUE(create(1).held.empty());
}

TEST_F(LaunchGateTest, AProcessThatStartsCountsTheClaimsOfTheOneBefore) {
  const std::string now = format_rfc3339(w_.sim->now());
  w_.api.put(kClaims, R"({"metadata":{"name":"old","uid":"o","creationTimestamp":")" + now +
                          R"(","labels":{"karpenter.sh/nodepool":"default"}},"spec":{"requirements":[]}})");
  use({.launches_per_minute = 1});
  EXPECT_EQ(create(1).held.size(), 1u);
  w_.sim->run_for(61s);
  EXPECT_TRUE(create(1).held.empty());
}

TEST_F(LaunchGateTest, LaunchesOfClaimsByHandStayBelowTheCap) {
  use({.launches_per_minute = 1});
  EXPECT_TRUE(launch("a").held.empty());
  EXPECT_EQ(launch("b").held.at(0).by, "max-launches-per-minute");
  EXPECT_TRUE(launch("a").held.empty()) << "a repetition launches nothing new";
  EXPECT_EQ(instances(), 1u);
  w_.sim->run_for(61s);
  EXPECT_TRUE(launch("b").held.empty());
}

TEST_F(LaunchGateTest, NodesStayBelowTheHourlyPrice) {
  use({.hourly_price = *model::parse_price("0.25")});
  const Outcome outcome = create(3);
  EXPECT_EQ(claims(), 2u);
  EXPECT_EQ(outcome.held.at(2).by, "max-hourly-price");
  EXPECT_EQ(create(1).held.size(), 1u) << "open claims count";
}

TEST_F(LaunchGateTest, AGroupThatPassesTheHourlyPriceIsHeldBackAsAWhole) {
  use({.hourly_price = *model::parse_price("0.25")});
  EXPECT_EQ(create(1, 3).held.size(), 1u);
  EXPECT_EQ(claims(), 0u);
  EXPECT_TRUE(create(1, 2).held.empty());
  EXPECT_EQ(claims(), 2u);
}

TEST_F(LaunchGateTest, ALaunchOfAnUnknownPriceIsHeldBack) {
  w_.api.remove(kNodeClasses, "default");
  use({.hourly_price = *model::parse_price("100")});
  EXPECT_EQ(create(1).held.at(0).message,
            "launches are held back by --max-hourly-price: the price of a launch of nodepool/default is unknown: its "
            "node class does not exist, limit $100/h");
  EXPECT_EQ(claims(), 0u);
}

}  // namespace
}  // namespace tenon::controllers
