// SPDX-License-Identifier: Apache-2.0
#include "controllers/lifecycle/decide.h"

#include <gtest/gtest.h>

#include "model/adoption.h"
#include "model/labels.h"
#include "model/unreadable.h"

namespace tenon::controllers::lifecycle {
namespace {

const Instant kBorn(1'000'000s);

model::NodeClaim claim() {
  model::NodeClaim c;
  c.meta = {.name = "default-abc", .ns = {}, .uid = "u1", .resource_version = "5", .generate_name = {}};
  c.meta.created_at = kBorn;
  c.meta.generation = 1;
  c.meta.finalizers = {std::string(model::kFinalizerTermination)};
  c.meta.labels = {{"team", "a"}};
  model::mark_launched_by_tenon(c.meta);
  c.requests = model::Resources{{"cpu", 1000}};
  c.startup_taints = {{"startup", "", "NoSchedule", std::nullopt}};
  return c;
}

model::Node node() {
  model::Node n;
  n.meta.name = "ip-10-0-0-1";
  n.meta.uid = "n1";
  n.provider_id = "aws:///us-east-1a/i-1";
  n.taints = {{std::string(model::kTaintUnregistered), "", "NoExecute", std::nullopt}};
  n.allocatable = model::Resources{{"cpu", 2000}};
  return n;
}

// Returns the claim after its first patch in the plan; the next function does so for the node.
const model::NodeClaim* patched_claim(const plan::Plan& plan) {
  for (const auto& action : plan.actions) {
    if (const auto* p = std::get_if<plan::PatchNodeClaim>(&action)) return &p->after;
  }
  return nullptr;
}
const model::Node* patched_node(const plan::Plan& plan) {
  for (const auto& action : plan.actions) {
    if (const auto* p = std::get_if<plan::PatchNode>(&action)) return &p->after;
  }
  return nullptr;
}
const plan::DeleteNodeClaim* deletion(const plan::Plan& plan) {
  for (const auto& action : plan.actions) {
    if (const auto* d = std::get_if<plan::DeleteNodeClaim>(&action)) return d;
  }
  return nullptr;
}

model::NodeClaim launched() {
  cloud::Instance instance;
  instance.provider_id = "aws:///us-east-1a/i-1";
  instance.labels = {{"team", "provider"}, {"node.kubernetes.io/instance-type", "m5.large"}};
  instance.image_id = "ami-1";
  return *patched_claim(decide_launched({claim(), {}, kBorn + 2s}, instance));
}

TEST(Lifecycle, TheFinalizerComesBeforeAnythingIsBought) {
  model::NodeClaim c = claim();
  c.meta.finalizers.clear();
  EXPECT_FALSE(needs_launch(c));
  const plan::Plan plan = decide({c, {}, kBorn});
  EXPECT_EQ(patched_claim(plan)->meta.finalizers, std::vector<std::string>{"karpenter.sh/termination"});
  EXPECT_FALSE(plan.again) << "before the cache shows the patch, a second look would only run into a conflict";
  EXPECT_TRUE(needs_launch(claim()));
}

TEST(Lifecycle, ALaunchIsRecordedAndTheClaimsOwnLabelsWin) {
  const model::NodeClaim c = launched();
  EXPECT_TRUE(c.is("Launched"));
  EXPECT_FALSE(needs_launch(c));
  EXPECT_EQ(c.meta.labels.at("team"), "a");
  EXPECT_EQ(c.meta.labels.at("node.kubernetes.io/instance-type"), "m5.large");
  EXPECT_EQ(c.provider_id, "aws:///us-east-1a/i-1");
  EXPECT_EQ(model::find_condition(c.conditions, "Registered")->reason, "NodeNotFound") << "by the same write";
  EXPECT_FALSE(decide_launched({claim(), {}, kBorn + 2s}, {}).again);
}

TEST(Lifecycle, NoCapacityEndsTheClaimWithAnEvent) {
  const plan::Plan plan =
      decide_launch_failed({claim(), {}, kBorn}, {Code::kInsufficientCapacity, std::string(400, 'x'), std::nullopt});
  ASSERT_TRUE(deletion(plan));
  EXPECT_EQ(deletion(plan)->why, "insufficient_capacity");
  const auto& event = std::get<plan::RecordEvent>(plan.actions.front());
  EXPECT_EQ(event.message, "NodeClaim default-abc event: " + std::string(300, 'x') + "...");
}

std::shared_ptr<const model::NodeClass> node_class(bool deleting = false) {
  model::NodeClass c;
  c.meta.name = "default";
  if (deleting) c.meta.deleted_at = kBorn;
  return std::make_shared<const model::NodeClass>(c);
}

TEST(Lifecycle, ALaunchIsTheOnlyActionOfItsPlan) {
  const LaunchView launch{node_class()};
  EXPECT_TRUE(usable(launch));
  const plan::Plan plan = decide_launch({claim(), {}, kBorn}, launch);
  ASSERT_EQ(plan.actions.size(), 1u);
  EXPECT_EQ(std::get<plan::LaunchInstance>(plan.actions[0]).node_class.meta.name, "default");
  EXPECT_EQ(std::get<plan::LaunchInstance>(plan.actions[0]).claim, claim());
}

TEST(Lifecycle, AClassThatCannotBeReadIsACondition) {
  model::NodeClass c = *node_class();
  c.conditions.push_back({std::string(model::kUnreadable), "True", "", "spec: is wrong", kBorn});
  const LaunchView launch{std::make_shared<const model::NodeClass>(c)};
  EXPECT_FALSE(usable(launch));
  const plan::Plan plan = decide_launch({claim(), {}, kBorn}, launch);
  const auto* condition = model::find_condition(patched_claim(plan)->conditions, "Launched");
  EXPECT_EQ(condition->reason, "NodeClassUnreadable");
  EXPECT_EQ(condition->message, "EC2NodeClass default cannot be read: spec: is wrong");
}

TEST(Lifecycle, WithoutItsClassAClaimGoesWithAnEvent) {
  model::NodeClaim c = claim();
  c.node_class_ref.name = "gone";
  for (const auto& [deleting, why] : {std::pair(false, "is not found"), std::pair(true, "is being deleted")}) {
    LaunchView launch;
    if (deleting) launch.node_class = node_class(deleting);
    EXPECT_FALSE(usable(launch));
    const plan::Plan plan = decide_launch({c, {}, kBorn}, launch);
    ASSERT_EQ(plan.actions.size(), 3u);
    const auto& event = std::get<plan::RecordEvent>(plan.actions[0]);
    EXPECT_EQ(event.reason + ": " + event.message, "FailedResolvingNodeClass: Failed resolving NodeClass");
    EXPECT_EQ(std::get<plan::RecordEvent>(plan.actions[1]).message,
              std::string("NodeClaim default-abc event: resolving node class, gone ") + why);
    EXPECT_EQ(deletion(plan)->why, "insufficient_capacity");
  }
}

// Limits that cannot be checked are not taken as kept.
TEST(Lifecycle, UncheckedLimitsLaunchNothing) {
  LaunchView launch{node_class()};
  launch.unchecked = "the limits of nodepool/default cannot be checked: its instance types are not known";
  const plan::Plan plan = decide_launch({claim(), {}, kBorn}, launch);
  EXPECT_EQ(plan::find<plan::LaunchInstance>(plan), nullptr);
  EXPECT_EQ(plan::find<plan::DeleteNodeClaim>(plan), nullptr);
  const auto* patch = plan::find<plan::PatchNodeClaim>(plan);
  ASSERT_NE(patch, nullptr);
  const auto* launched = model::find_condition(patch->after.conditions, model::kLaunched);
  ASSERT_NE(launched, nullptr);
  EXPECT_EQ(launched->reason, "LimitsUnchecked");
  EXPECT_EQ(launched->message, launch.unchecked);
}

TEST(Lifecycle, AClaimThatPassesALimitGoesWithAnEvent) {
  const plan::Plan plan = decide_launch({claim(), {}, kBorn}, {node_class(), "too much"});
  EXPECT_EQ(plan::find<plan::LaunchInstance>(plan), nullptr);
  ASSERT_EQ(plan.log.size(), 1u);
  EXPECT_EQ(plan.log[0].message, "nodeclaim/default-abc is not launched: too much");
  EXPECT_EQ(plan.log[0].fields.node_claim, "default-abc");
  ASSERT_TRUE(deletion(plan));
  EXPECT_EQ(deletion(plan)->why, "limit_exceeded");
  EXPECT_EQ(std::get<plan::RecordEvent>(plan.actions.front()).message, "NodeClaim default-abc event: too much");
}

TEST(Lifecycle, AnotherFailureIsACondition) {
  const plan::Plan plan = decide_launch_failed({claim(), {}, kBorn}, {Code::kUnavailable, "boom", std::nullopt});
  const auto* c = model::find_condition(patched_claim(plan)->conditions, "Launched");
  EXPECT_EQ(c->status, "Unknown");
  EXPECT_EQ(c->reason, "LaunchFailed");
  EXPECT_EQ(c->message, "boom");
  EXPECT_TRUE(plan.again);
}

TEST(Lifecycle, AHeldLaunchIsAConditionAndIsTriedAgain) {
  const state::Hold freeze{"freeze", std::string(state::kLaunchesFrozen), "launches are frozen"};
  const plan::Plan plan = decide_launch_held({claim(), {}, kBorn}, freeze);
  const auto* c = model::find_condition(patched_claim(plan)->conditions, "Launched");
  EXPECT_EQ(c->status + " " + c->reason + ": " + c->message, "Unknown LaunchesFrozen: launches are frozen");
  EXPECT_FALSE(plan.again) << "the end of the freeze reconciles it";
  EXPECT_FALSE(deletion(plan));
  EXPECT_TRUE(needs_launch(*patched_claim(plan)));
  const state::Hold cap{"max-hourly-price", std::string(state::kLaunchCapReached), "too much", kBorn + 10s};
  EXPECT_EQ(decide_launch_held({claim(), {}, kBorn + 3s}, cap).again, Duration(7s));
  EXPECT_EQ(decide_launch_held({claim(), {}, kBorn + 11s}, cap).again, Duration(0s));
}

// Otherwise three NodeClaims that wait during a freeze would make their NodePool unhealthy.
TEST(Lifecycle, AClaimThatEndsBecauseItsLaunchWasHeldIsNoFailureOfItsPool) {
  for (const auto& [reason, failures] :
       {std::pair(std::string("LaunchFailed"), true), std::pair(std::string(state::kLaunchesFrozen), false),
        std::pair(std::string(state::kLaunchCapReached), false)}) {
    const plan::Plan held = decide_launch_held({claim(), {}, kBorn}, {"", reason, "held"});
    const plan::Plan plan = decide({*patched_claim(held), {}, kBorn + 5min});
    ASSERT_TRUE(deletion(plan));
    EXPECT_EQ(outcome_of(plan).has_value(), failures) << reason;
  }
}

TEST(Lifecycle, RegistrationSyncsTheNodeAndTakesTheTaint) {
  const plan::Plan plan = decide({launched(), {node()}, kBorn + 30s});
  const model::Node* n = patched_node(plan);
  ASSERT_TRUE(n);
  EXPECT_EQ(n->meta.labels.at("team"), "a");
  EXPECT_EQ(n->meta.labels.at("karpenter.sh/registered"), "true");
  EXPECT_EQ(n->meta.finalizers, std::vector<std::string>{"karpenter.sh/termination"});
  EXPECT_EQ(n->meta.owners.front().uid, "u1");
  ASSERT_EQ(n->taints.size(), 1u);
  EXPECT_EQ(n->taints.front().key, "startup");
  EXPECT_TRUE(patched_claim(plan)->is("Registered"));
  EXPECT_EQ(patched_claim(plan)->node_name, "ip-10-0-0-1");
}

TEST(Lifecycle, WhatTheProviderDoesNotKnowYetHoldsTheRegistrationUp) {
  const View waits{launched(), {node()}, kBorn + 30s, {{{"known", "1"}}, {"partition", "other"}}};
  EXPECT_TRUE(registers(waits));
  const plan::Plan plan = decide(waits);
  const auto* registered = model::find_condition(patched_claim(plan)->conditions, "Registered");
  EXPECT_EQ(registered->status + " " + registered->reason + ": " + registered->message,
            "Unknown RegistrationHookPending: partition, other");
  EXPECT_TRUE(plan.again);
  EXPECT_EQ(patched_claim(plan)->meta.labels.at("known"), "1");
  EXPECT_EQ(patched_node(plan)->meta.labels.at("known"), "1");
  EXPECT_EQ(patched_node(plan)->meta.labels.count("karpenter.sh/registered"), 0u);
  EXPECT_EQ(patched_node(plan)->taints.front().key, "karpenter.sh/unregistered");

  const View known{launched(), {node()}, kBorn + 32s, {{{"partition", "2"}}, {}}};
  EXPECT_TRUE(patched_claim(decide(known))->is("Registered"));
  EXPECT_EQ(patched_node(decide(known))->meta.labels.at("partition"), "2");
}

TEST(Lifecycle, RegistrationLeavesTaintsAloneWhenAsked) {
  model::Node n = node();
  n.meta.labels["karpenter.sh/do-not-sync-taints"] = "true";
  EXPECT_TRUE(patched_node(decide({launched(), {n}, kBorn + 30s}))->taints.empty());
}

TEST(Lifecycle, ANodeWithoutTheTaintIsAWarningOnly) {
  model::Node n = node();
  n.taints.clear();
  const plan::Plan plan = decide({launched(), {n}, kBorn + 30s});
  EXPECT_EQ(std::get<plan::RecordEvent>(plan.actions.front()).reason, "UnregisteredTaintMissing");
  EXPECT_TRUE(patched_claim(plan)->is("Registered"));
}

TEST(Lifecycle, TwoNodesForOneInstanceAreNeverRegistered) {
  const plan::Plan plan = decide({launched(), {node(), node()}, kBorn + 30s});
  EXPECT_EQ(model::find_condition(patched_claim(plan)->conditions, "Registered")->reason, "MultipleNodesFound");
}

struct Blocker {
  const char* reason;
  void (*spoil)(model::Node&);
};

TEST(Lifecycle, AClaimOfAnotherControllerGetsTheTimeOfItsAdoptionOnce) {
  model::NodeClaim c = claim();
  c.meta.annotations.clear();
  EXPECT_EQ(patched_claim(decide({c, {}, kBorn + 1s}))->meta.annotations.size(), 0u) << "it has not been launched";
  c.conditions = launched().conditions;
  c.provider_id = "aws:///us-east-1a/i-1";
  const plan::Plan plan = decide({c, {}, kBorn + 30s});
  ASSERT_TRUE(patched_claim(plan));
  const model::NodeClaim adopted = *patched_claim(plan);
  EXPECT_EQ(adopted.meta.annotations.at("tenon.dev/adopted-at"), format_rfc3339(kBorn + 30s));
  const plan::Plan later = decide({adopted, {}, kBorn + 40s});
  EXPECT_FALSE(patched_claim(later));
  EXPECT_FALSE(launched().meta.annotations.contains("tenon.dev/adopted-at"));
}

TEST(Lifecycle, InitializationWaitsForEachThing) {
  const model::NodeClaim registered = *patched_claim(decide({launched(), {node()}, kBorn + 30s}));
  model::Node ready = node();
  ready.taints.clear();
  ready.conditions = {{"Ready", "True", "", "", kBorn}};
  for (const auto& [reason, spoil] : {
           Blocker{"NodeNotReady", [](model::Node& n) { n.conditions.clear(); }},
           Blocker{"StartupTaintsExist",
                   [](model::Node& n) { n.taints = {{"startup", "", "NoSchedule", std::nullopt}}; }},
           Blocker{
               "KnownEphemeralTaintsExist",
               [](model::Node& n) { n.taints = {{"node.kubernetes.io/not-ready", "", "NoSchedule", std::nullopt}}; }},
           Blocker{"ResourceNotRegistered", [](model::Node& n) { n.allocatable = {}; }},
       }) {
    model::Node spoilt = ready;
    spoil(spoilt);
    const plan::Plan plan = decide({registered, {spoilt}, kBorn + 40s});
    ASSERT_TRUE(patched_claim(plan)) << reason;
    EXPECT_EQ(model::find_condition(patched_claim(plan)->conditions, "Initialized")->reason, reason);
  }
  model::NodeClaim noted = registered;
  noted.meta.annotations["tenon.dev/pods"] = "default/a";
  const plan::Plan plan = decide({noted, {ready}, kBorn + 40s});
  EXPECT_FALSE(patched_claim(plan)->meta.annotations.contains("tenon.dev/pods"));
  EXPECT_TRUE(patched_claim(plan)->is("Initialized"));
  EXPECT_TRUE(patched_claim(plan)->is("Ready"));
  EXPECT_EQ(patched_node(plan)->meta.labels.at("karpenter.sh/initialized"), "true");
}

TEST(Lifecycle, AClaimThatNeverLaunchesOrRegistersIsGivenUp) {
  const plan::Plan early = decide({claim(), {}, kBorn + 4min});
  EXPECT_FALSE(deletion(early));
  EXPECT_EQ(*early.again, Duration(1min));
  EXPECT_EQ(deletion(decide({claim(), {}, kBorn + 5min}))->why, "launch_timeout");
  EXPECT_FALSE(deletion(decide({launched(), {}, kBorn + 14min})));
  EXPECT_EQ(deletion(decide({launched(), {}, kBorn + 15min}))->why, "registration_timeout");
}

// The process may end between the write to the Node and the write to the claim. Pods can run on the Node in between.
TEST(Lifecycle, ANodeThatIsRegisteredDrainsThoughItsClaimDoesNotSaySo) {
  for (const bool labelled : {false, true}) {
    model::NodeClaim c = launched();
    c.meta.deleted_at = kBorn + 50s;
    ASSERT_FALSE(c.is(model::kRegistered));
    model::Node n = node();
    if (labelled) n.meta.labels[std::string(model::kLabelRegistered)] = "true";
    const plan::Plan ending = decide_ending({c, {n}, kBorn + 60s}, std::nullopt);
    EXPECT_EQ(plan::find<plan::DeleteNode>(ending) != nullptr, labelled);
    EXPECT_EQ(plan::find<plan::TerminateInstance>(ending) != nullptr, !labelled);
  }
}

TEST(Lifecycle, EndingWaitsForTheNodeThenTheInstanceThenLetsGo) {
  model::NodeClaim c = *patched_claim(decide({launched(), {node()}, kBorn + 30s}));
  c.meta.deleted_at = kBorn + 60s;
  plan::Plan ending = decide_ending({c, {node()}, kBorn + 60s}, std::nullopt);
  EXPECT_EQ(plan::find<plan::TerminateInstance>(ending), nullptr);
  EXPECT_TRUE(std::holds_alternative<plan::DeleteNode>(ending.actions.front()));

  ending = decide_ending({c, {}, kBorn + 70s}, std::nullopt);
  ASSERT_EQ(ending.actions.size(), 1u) << "the answer decides the rest";
  EXPECT_EQ(std::get<plan::TerminateInstance>(ending.actions[0]).provider_id, c.provider_id);
  ending = decide_ending({c, {}, kBorn + 70s}, false);
  EXPECT_TRUE(patched_claim(ending)->is("InstanceTerminating"));
  EXPECT_EQ(patched_claim(ending)->meta.finalizers.size(), 1u);
  ending = decide_ending({c, {}, kBorn + 75s}, true);
  EXPECT_TRUE(patched_claim(ending)->meta.finalizers.empty());
}

TEST(Lifecycle, AClaimThatWasNeverLaunchedEndsAtOnce) {
  model::NodeClaim c = claim();
  c.meta.deleted_at = kBorn;
  const plan::Plan ending = decide_ending({c, {}, kBorn}, std::nullopt);
  EXPECT_EQ(plan::find<plan::TerminateInstance>(ending), nullptr);
  EXPECT_TRUE(patched_claim(ending)->meta.finalizers.empty());
}

TEST(Lifecycle, AGracePeriodIsWrittenDownOnce) {
  model::NodeClaim c = launched();
  c.meta.deleted_at = kBorn + 60s;
  c.termination_grace_period = 5min;
  const plan::Plan ending = decide_ending({c, {}, kBorn + 60s}, false);
  EXPECT_EQ(patched_claim(ending)->meta.annotations.at("karpenter.sh/nodeclaim-termination-timestamp"),
            format_rfc3339(kBorn + 6min));
  EXPECT_EQ(std::get<plan::RecordEvent>(ending.actions.front()).reason, "TerminationGracePeriodExpiring");
}

// Of `tenon convert --in-cluster`: the instance runs, and so does its Node.
TEST(Lifecycle, AClaimAdoptsTheInstanceThatItNames) {
  model::NodeClaim c = claim();
  c.meta.annotations[std::string(model::kAnnotationInstance)] = "aws:///us-east-1a/i-1";
  EXPECT_EQ(adopted_instance(c), "aws:///us-east-1a/i-1");
  EXPECT_EQ(adopted_instance(claim()), "");
  cloud::Instance instance;
  instance.provider_id = "aws:///us-east-1a/i-1";
  const plan::Plan plan = decide_adopted({c, {node()}, kBorn}, instance);
  const model::NodeClaim* after = patched_claim(plan);
  ASSERT_NE(after, nullptr);
  EXPECT_EQ(after->provider_id, "aws:///us-east-1a/i-1");
  EXPECT_TRUE(after->is(model::kLaunched));
  EXPECT_EQ(after->allocatable, node().allocatable);
  EXPECT_EQ(plan::find<plan::LaunchInstance>(plan), nullptr);
}

TEST(Lifecycle, AClaimThatNamesAnEndedInstanceIsDeleted) {
  model::NodeClaim c = claim();
  c.meta.annotations[std::string(model::kAnnotationInstance)] = "aws:///us-east-1a/i-1";
  EXPECT_NE(deletion(decide_adopted({c, {}, kBorn}, std::nullopt)), nullptr);
  cloud::Instance ending;
  ending.deleting = true;
  EXPECT_NE(deletion(decide_adopted({c, {}, kBorn}, ending)), nullptr);
}

}  // namespace
}  // namespace tenon::controllers::lifecycle
