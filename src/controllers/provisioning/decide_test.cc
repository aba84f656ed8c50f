// SPDX-License-Identifier: Apache-2.0
#include "controllers/provisioning/decide.h"

#include <gtest/gtest.h>

#include "controllers/claims/make_claim.h"
#include "model/labels.h"
#include "model/structural_hash.h"
#include "scheduling/input/solution.h"
#include "scheduling/solver.h"

namespace tenon::controllers::provisioning {
namespace {

model::NodePool pool() {
  model::NodePool p;
  p.meta.name = "default";
  p.meta.uid = "pool-uid";
  p.node_template.labels = {{"type", "karpenter"}};
  p.node_template.annotations = {{"note", "x"}};
  p.node_template.node_class_ref = {"karpenter.k8s.aws", "EC2NodeClass", "aws"};
  p.node_template.expire_after = 24h;
  return p;
}

scheduling::PoolView view() { return {std::make_shared<const model::NodePool>(pool()), nullptr, ""}; }

scheduling::PlannedNode planned() {
  scheduling::PlannedNode node;
  node.id = "new-0";
  node.pool = "default";
  node.pods = {"default/a"};
  node.requests = model::Resources{{"cpu", 1150}, {"memory", 1 << 30}, {"pods", 1}};
  node.requirements.add(model::Requirement::in("karpenter.sh/capacity-type", {"spot"}));
  node.requirements.add(model::Requirement::in("kubernetes.io/hostname", {"hostname-placeholder-1"}));
  node.labels.edit() = {{"type", "karpenter"}, {"team", "a"}};
  node.instance_types = {"m5.large", "c5.xlarge"};
  return node;
}

const model::RequirementSpec* find(const model::NodeClaim& claim, std::string_view key) {
  for (const auto& spec : claim.requirements) {
    if (spec.key == key) return &spec;
  }
  return nullptr;
}

TEST(MakeClaim, CarriesWhatTheNodePoolAndThePlanSay) {
  const model::NodeClaim claim = claims::make_claim(planned(), view());
  EXPECT_EQ(claim.meta.generate_name, "default-");
  EXPECT_EQ(claim.meta.finalizers, std::vector<std::string>{"karpenter.sh/termination"});
  EXPECT_EQ(claim.meta.labels.at("karpenter.sh/nodepool"), "default");
  EXPECT_EQ(claim.meta.labels.at("karpenter.k8s.aws/ec2nodeclass"), "aws");
  EXPECT_EQ(claim.meta.labels.at("team"), "a");
  EXPECT_EQ(claim.meta.annotations.at("note"), "x");
  EXPECT_EQ(claim.meta.annotations.at("karpenter.sh/nodepool-hash"), model::node_pool_hash(pool()));
  EXPECT_EQ(claim.meta.annotations.at("tenon.dev/launched-by"), "tenon");
  EXPECT_EQ(claim.meta.owners.front().uid, "pool-uid");
  EXPECT_TRUE(claim.meta.owners.front().block_owner_deletion);
  EXPECT_EQ(claim.expire_after, model::OptionalDuration(24h));
  EXPECT_EQ(claim.requests.get("cpu"), 1150);
}

TEST(MakeClaim, RequirementsNameTypesPoolAndClassButNoHost) {
  const model::NodeClaim claim = claims::make_claim(planned(), view());
  EXPECT_EQ(find(claim, "node.kubernetes.io/instance-type")->values,
            (std::vector<std::string>{"c5.xlarge", "m5.large"}));
  EXPECT_EQ(find(claim, "karpenter.sh/capacity-type")->values, std::vector<std::string>{"spot"});
  EXPECT_EQ(find(claim, "karpenter.sh/nodepool")->values, std::vector<std::string>{"default"});
  EXPECT_EQ(find(claim, "karpenter.k8s.aws/ec2nodeclass")->values, std::vector<std::string>{"aws"});
  EXPECT_EQ(find(claim, "type")->values, std::vector<std::string>{"karpenter"});
  EXPECT_EQ(find(claim, "kubernetes.io/hostname"), nullptr);
}

TEST(MakeClaim, NotesOverlaysOfTheTypesThatItLists) {
  model::InstanceType listed, other;
  listed.name = "m5.large";
  listed.price_overlaid = true;
  other.name = "r5.large";
  other.capacity_overlaid = true;
  scheduling::PoolView overlaid = view();
  overlaid.types = std::make_shared<const std::vector<model::InstanceType>>(std::vector{listed, other});
  const model::NodeClaim claim = claims::make_claim(planned(), overlaid);
  EXPECT_EQ(claim.meta.annotations.at("karpenter.sh/price-overlay-applied"), "true");
  EXPECT_FALSE(claim.meta.annotations.contains("karpenter.sh/capacity-overlay-applied"));
}

TEST(Decide, BuysNominatesAndSaysWhatFitsNowhere) {
  scheduling::Snapshot snapshot;
  snapshot.pools = {view()};
  for (const char* name : {"a", "b", "c"}) {
    model::Pod pod;
    pod.meta.ns = "default";
    pod.meta.name = name;
    snapshot.pending.push_back(std::make_shared<const model::Pod>(pod));
  }
  scheduling::NodeView existing;
  model::Node node;
  node.meta.name = "n1";
  existing.node = std::make_shared<const model::Node>(node);
  snapshot.nodes = {existing};
  scheduling::Solution solution;
  solution.new_nodes = {planned()};
  solution.existing["n1"] = {"default/b"};
  solution.unschedulable["default/c"] = {"no instance type has 512 cpu", {}};

  const plan::Plan plan = decide(snapshot, solution, {.turns = 7});
  EXPECT_EQ(plan.turn, std::optional<uint64_t>(7));
  ASSERT_EQ(plan.actions.size(), 3u) << "the events are one action, however many pods there are";
  EXPECT_EQ(std::get<plan::Nominate>(plan.actions[0]).node, "n1");
  const auto& create = std::get<plan::CreateNodeClaim>(plan.actions[1]);
  EXPECT_TRUE(create.nominate);
  EXPECT_TRUE(create.promise.empty());
  ASSERT_EQ(create.events.size(), 1u);
  EXPECT_EQ(create.events[0].about.name, "a");
  EXPECT_EQ(create.events[0].message, "Pod should schedule on: ");
  EXPECT_EQ(create.claim.meta.annotations.at("tenon.dev/pods"), "default/a");
  EXPECT_EQ(create.log.substr(create.log.find(" for ")), " for 1 pod of nodepool/default; 2 types can hold them");
  EXPECT_EQ(
      plan.proposals,
      (std::vector<plan::Proposal>{{plan::kWouldLaunch, "default/a", "launch" + create.log.substr(1), "default"}}));
  const auto& events = std::get<plan::RecordEvents>(plan.actions[2]).events;
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].message, "Pod should schedule on: node/n1");
  const plan::RecordEvent& failed = events[1];
  EXPECT_EQ(failed.reason, "FailedScheduling");
  EXPECT_EQ(failed.message, "Failed to schedule pod, no instance type has 512 cpu");
}

TEST(Decide, PodsThatExcludeOurNodesGetNoEventAndCountAsIgnored) {
  const auto pod = [](const char* name) {
    model::Pod p;
    p.meta.ns = "default";
    p.meta.name = name;
    return p;
  };
  model::Pod elsewhere = pod("elsewhere"), malformed = pod("malformed"), devices = pod("devices"), big = pod("big");
  elsewhere.spec.edit().affinity.required_node_terms = {
      {.match_expressions = {{"karpenter.sh/nodepool", model::Operator::kDoesNotExist, {}, {}}}}};
  malformed.spec.edit().node_selector = {{"karpenter.sh/unknown", "x"}};
  devices.spec.edit().uses_resource_claims = true;
  big.spec.edit().requests = model::Resources{{"cpu", 1'000'000}};
  scheduling::Snapshot snapshot;
  snapshot.pools = {view()};
  for (const model::Pod& p : {elsewhere, malformed, devices, big}) {
    snapshot.pending.push_back(std::make_shared<const model::Pod>(p));
  }
  const scheduling::Solution solution = scheduling::solve(snapshot, {});
  ASSERT_EQ(solution.unschedulable.size(), 4u);
  std::vector<std::string> told;
  const plan::Plan plan = decide(snapshot, solution, {});
  EXPECT_FALSE(plan.turn) << "nothing is launched";
  ASSERT_EQ(plan.actions.size(), 1u);
  for (const plan::RecordEvent& event : std::get<plan::RecordEvents>(plan.actions[0]).events) {
    if (event.reason == "FailedScheduling") told.push_back(event.about.name);
  }
  EXPECT_EQ(told, (std::vector<std::string>{"big", "devices", "malformed"}));
  EXPECT_EQ(count_ignored(snapshot, solution), 2u) << "elsewhere and malformed";
}

TEST(Decide, BuffersAreBoughtForButNobodyIsTold) {
  scheduling::Snapshot snapshot;
  snapshot.pools = {view()};
  for (const char* name : {"a", "b", "c"}) {
    model::Pod pod;
    pod.meta.ns = "default";
    pod.meta.name = name;
    pod.spec.edit().buffer = "default/spare";
    snapshot.pending.push_back(std::make_shared<const model::Pod>(pod));
  }
  scheduling::Solution solution;
  solution.new_nodes = {planned()};
  solution.existing["n1"] = {"default/b"};
  solution.unschedulable["default/c"] = {"no room", {}};
  const plan::Plan plan = decide(snapshot, solution, {});
  ASSERT_EQ(plan.actions.size(), 1u);
  const auto& create = std::get<plan::CreateNodeClaim>(plan.actions[0]);
  EXPECT_TRUE(create.events.empty());
  EXPECT_NE(create.log.find(" for room for 1 pod of "), std::string::npos) << create.log;
}

// The drain of an interrupted node begins, because nodes for its pods are being launched; promised room stays
// nominated.
TEST(Decide, HeldDrainsAreReleasedAndPromisedRoomStaysNominated) {
  const auto view_of = [](const std::string& name, bool deleting) {
    model::NodeClaim claim;
    claim.meta.name = "claim-" + name;
    model::Node node;
    node.meta.name = name;
    if (deleting) claim.meta.deleted_at = Instant(1s);
    scheduling::NodeView view;
    view.node = std::make_shared<const model::Node>(node);
    view.claim = std::make_shared<const model::NodeClaim>(claim);
    return view;
  };
  scheduling::Snapshot snapshot;
  snapshot.nodes = {view_of("gone", true), view_of("held", true), view_of("stays", false)};
  const plan::Plan plan =
      decide(snapshot, {}, {.turns = 3, .kept = {"stays"}, .held_drains = {"claim-held", "claim-stays"}});
  ASSERT_EQ(plan.actions.size(), 2u);
  EXPECT_EQ(std::get<plan::Nominate>(plan.actions[0]).claim, "claim-stays");
  EXPECT_EQ(std::get<plan::Nominate>(plan.actions[0]).node, "stays");
  EXPECT_EQ(std::get<plan::ReleaseDrain>(plan.actions[1]).claim, "claim-held");
  EXPECT_EQ(plan.turn, std::optional<uint64_t>(3));
  EXPECT_FALSE(decide(snapshot, {}, {.held_drains = {"claim-held"}}).turn) << "a release launches nothing";
}

TEST(DecideBuffers, WritesWhatChangedAndKeepsTransitionTimes) {
  model::CapacityBuffer buffer;
  buffer.meta.ns = "default";
  buffer.meta.name = "spare";
  buffer.pod_template = "t";
  scheduling::BufferStates states;
  states["default/spare"] = {.pods = 3, .source_generation = 2, .on_new = {{"new-0", 2}}, .failed = 1};
  const Instant then{Duration(1h)}, later{Duration(2h)};
  const plan::Plan first = decide_buffers({buffer}, states, then);
  ASSERT_EQ(first.actions.size(), 1u);
  const model::CapacityBuffer told = std::get<plan::PatchCapacityBuffer>(first.actions[0]).after;
  EXPECT_EQ(told.status.replicas, 3);
  EXPECT_EQ(told.status.pod_template_generation, 2);
  EXPECT_EQ(model::find_condition(told.status.conditions, "Provisioning")->message,
            "2/3 virtual pods required new capacity, 1 failed");
  EXPECT_TRUE(decide_buffers({told}, states, later).actions.empty());
  states["default/spare"] = {.pods = 3, .source_generation = 2, .on_existing = {{"n1", 3}}};
  const plan::Plan second = decide_buffers({told}, states, later);
  ASSERT_EQ(second.actions.size(), 1u);
  const auto& conditions = std::get<plan::PatchCapacityBuffer>(second.actions[0]).after.status.conditions;
  EXPECT_EQ(model::find_condition(conditions, "Provisioning")->last_transition, later);
  EXPECT_EQ(model::find_condition(conditions, "ReadyForProvisioning")->last_transition, then);
}

TEST(Decide, NominationNamesWhatIsKnown) {
  EXPECT_EQ(nominated_event({}, "default", "c1", "n1").message, "Pod should schedule on: nodeclaim/c1, node/n1");
  EXPECT_EQ(nominated_event({}, "default", "c1", "").message, "Pod should schedule on: nodeclaim/c1");
  EXPECT_EQ(nominated_event({}, "provisioner/default", "c1", "n1").message, "Pod should schedule on node: n1");
  EXPECT_EQ(nominated_event({}, "provisioner/default", "c1", "").message, "Pod should schedule on node: nodeclaim/c1");
}

TEST(Provisioning, ANominationLastsForTwoBatches) {
  EXPECT_EQ(nomination_window(10s), Duration(20s));
  EXPECT_EQ(nomination_window(30s), Duration(60s));
  EXPECT_EQ(nomination_window(1s), Duration(10s));
}

}  // namespace
}  // namespace tenon::controllers::provisioning
