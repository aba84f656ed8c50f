// SPDX-License-Identifier: Apache-2.0
#include "controllers/claim_conditions/decide.h"

#include <gtest/gtest.h>

#include "model/generations.h"
#include "model/labels.h"

namespace tenon::controllers::claim_conditions {
namespace {

const Instant kBorn(1'000'000s);

View view() {
  View v;
  v.pool.emplace();
  v.pool->meta.name = "default";
  v.pool->consolidate_after = 60s;
  v.claim.meta.name = "c1";
  v.claim.meta.uid = "u1";
  v.claim.meta.created_at = kBorn;
  v.claim.meta.labels = {{"karpenter.sh/nodepool", "default"},
                         {"node.kubernetes.io/instance-type", "m5.large"},
                         {"topology.kubernetes.io/zone", "us-east-1a"},
                         {"karpenter.sh/capacity-type", "spot"}};
  v.claim.conditions = {{"Launched", "True", "Launched", "", kBorn},
                        {"Registered", "True", "Registered", "", kBorn},
                        {"Initialized", "True", "Initialized", "", kBorn + 30s}};
  v.now = kBorn + 40s;
  return v;
}

bool is(const plan::Plan& plan, const View& v, std::string_view condition) {
  for (const auto& action : plan.actions) {
    if (const auto* p = std::get_if<plan::PatchNodeClaim>(&action)) return p->after.is(condition);
  }
  return v.claim.is(condition);
}
std::string drift(const plan::Plan& plan) {
  for (const auto& action : plan.actions) {
    const auto* p = std::get_if<plan::PatchNodeClaim>(&action);
    const auto* c = p ? model::find_condition(p->after.conditions, "Drifted") : nullptr;
    if (c) return c->reason;
  }
  return "";
}

TEST(ClaimConditions, AStatusOfThePoolChangesNoCondition) {
  const model::NodePool before = *view().pool;
  const auto anew = [&](auto change) {
    model::NodePool after = before;
    after.meta.resource_version = "2";
    change(after);
    return judges_anew(before, after);
  };
  EXPECT_FALSE(anew([](model::NodePool&) {}));
  EXPECT_FALSE(anew([](model::NodePool& pool) { pool.resources.set("nodes", 3); }));
  EXPECT_FALSE(
      anew([](model::NodePool& pool) { pool.conditions = {{"Ready", "False", "NodeClassNotReady", "", kBorn}}; }));
  EXPECT_FALSE(anew([](model::NodePool& pool) { pool.node_class_observed_generation = 7; }));
  EXPECT_TRUE(anew([](model::NodePool& pool) { pool.consolidate_after = 90s; }));
  EXPECT_TRUE(anew([](model::NodePool& pool) { pool.meta.annotations["karpenter.sh/nodepool-hash"] = "2"; }));
  EXPECT_TRUE(anew([](model::NodePool& pool) { pool.node_template.expire_after = 90s; }));
}

TEST(ClaimConditions, ConsolidatableAfterTheQuietTime) {
  View v = view();
  EXPECT_FALSE(is(decide(v), v, "Consolidatable"));
  EXPECT_EQ(*decide(v).again, Duration(50s));
  v.now = kBorn + 90s;
  EXPECT_TRUE(is(decide(v), v, "Consolidatable"));
}

TEST(ClaimConditions, APodEventStartsTheQuietTimeAnew) {
  View v = view();
  v.now = kBorn + 90s;
  v.claim.last_pod_event_at = kBorn + 80s;
  EXPECT_FALSE(is(decide(v), v, "Consolidatable"));
  EXPECT_EQ(*decide(v).again, Duration(50s));
}

TEST(ClaimConditions, AStampClearsConsolidatableInTheSameWrite) {
  View v = view();
  v.claim.conditions.push_back({"Consolidatable", "True", "Consolidatable", "", kBorn + 90s});
  v.claim.last_pod_event_at = kBorn + 80s;
  const Instant now = kBorn + 200s + 300ms;
  const plan::Plan plan = decide_stamp(v.claim, &*v.pool, now);
  ASSERT_EQ(plan.actions.size(), 1u);
  const model::NodeClaim& after = std::get<plan::PatchNodeClaim>(plan.actions[0]).after;
  EXPECT_EQ(after.last_pod_event_at, kBorn + 200s) << "whole seconds";
  EXPECT_FALSE(after.is("Consolidatable"));
  v.claim = after;
  v.now = now;
  EXPECT_TRUE(decide(v).actions.empty()) << "nothing is left for a second write";
  EXPECT_TRUE(decide_stamp(after, &*v.pool, kBorn + 209s).actions.empty()) << "at most one stamp in 10 s";
  EXPECT_FALSE(decide_stamp(after, &*v.pool, kBorn + 210s).actions.empty());
}

TEST(ClaimConditions, AStampWithoutAReadablePoolOrOfADeletingClaimJudgesNothing) {
  View v = view();
  v.claim.conditions.push_back({"Consolidatable", "True", "Consolidatable", "", kBorn + 90s});
  const auto stays_consolidatable = [&](const model::NodePool* pool) {
    const plan::Plan plan = decide_stamp(v.claim, pool, kBorn + 200s);
    return plan.actions.size() == 1 && std::get<plan::PatchNodeClaim>(plan.actions[0]).after.is("Consolidatable");
  };
  EXPECT_TRUE(stays_consolidatable(nullptr));
  v.claim.meta.deleted_at = kBorn + 150s;
  EXPECT_TRUE(stays_consolidatable(&*v.pool));
}

TEST(ClaimConditions, NeverMeansNever) {
  View v = view();
  v.now = kBorn + 1000h;
  v.pool->consolidate_after = std::nullopt;
  EXPECT_FALSE(is(decide(v), v, "Consolidatable"));
}

TEST(ClaimConditions, DriftReasonsInOrder) {
  View v = view();
  v.now = kBorn + 2h;
  v.provider_reason = "AMIDrift";
  EXPECT_EQ(drift(decide(v)), "AMIDrift");

  std::vector<model::InstanceType> types{{.name = "c5.large"}};
  v.types = &types;
  EXPECT_EQ(drift(decide(v)), "InstanceTypeNotFound");
  v.now = kBorn + 59min;
  EXPECT_EQ(drift(decide(v)), "AMIDrift") << "a young claim is not judged by the list of types";

  v.pool->node_template.requirements = {{"karpenter.sh/capacity-type", model::Operator::kIn, {"on-demand"}, {}}};
  EXPECT_EQ(drift(decide(v)), "RequirementsDrifted");

  const std::string hash(model::kAnnotationNodePoolHash), version(model::kAnnotationNodePoolHashVersion);
  v.pool->meta.annotations = {{hash, "2"}, {version, "v3"}};
  v.claim.meta.annotations = {{hash, "1"}, {version, "v2"}};
  EXPECT_EQ(drift(decide(v)), "RequirementsDrifted") << "hashes of different versions do not compare";
  v.claim.meta.annotations[version] = "v3";
  EXPECT_EQ(drift(decide(v)), "NodePoolDrifted");
}

TEST(ClaimConditions, AReservedClaimMayRunOnDemand) {
  const auto offering = [](const char* capacity_type, const char* zone) {
    model::Offering o;
    o.capacity_type = capacity_type;
    o.zone = zone;
    return o;
  };
  struct Case {
    const char* what;
    std::vector<model::Offering> offerings;
    const char* claim;  // its capacity type
    const char* reason;
  };
  const Case cases[] = {
      {"the reservation is listed", {offering("reserved", "us-east-1a")}, "reserved", ""},
      {"the reservation left the list", {offering("on-demand", "us-east-1a")}, "reserved", ""},
      {"on-demand in another zone", {offering("on-demand", "us-east-1b")}, "reserved", "InstanceTypeNotFound"},
      {"spot does not replace it", {offering("spot", "us-east-1a")}, "reserved", "InstanceTypeNotFound"},
      {"a spot claim", {offering("on-demand", "us-east-1a")}, "spot", "InstanceTypeNotFound"},
      {"an on-demand claim", {offering("reserved", "us-east-1a")}, "on-demand", "InstanceTypeNotFound"},
  };
  for (const Case& c : cases) {
    View v = view();
    v.now = kBorn + 2h;
    v.claim.meta.labels["karpenter.sh/capacity-type"] = c.claim;
    const std::vector<model::InstanceType> types{{.name = "m5.large", .offerings = c.offerings}};
    v.types = &types;
    EXPECT_EQ(drift(decide(v)), c.reason) << c.what;
  }
}

TEST(ClaimConditions, DriftThatIsOverIsTakenBack) {
  View v = view();
  v.claim.conditions.push_back({"Drifted", "True", "AMIDrift", "", kBorn});
  EXPECT_FALSE(is(decide(v), v, "Drifted"));
  v.provider_asked = false;
  EXPECT_TRUE(is(decide(v), v, "Drifted")) << "nobody knows";
}

TEST(ClaimConditions, ExpiryWakesExactlyAndIgnoresNever) {
  View v = view();
  v.claim.expire_after = 1h;
  EXPECT_EQ(*decide_expiration(v.claim, nullptr, 0, kBorn + 40min).again, Duration(20min));
  EXPECT_EQ(std::get<plan::DeleteNodeClaim>(decide_expiration(v.claim, nullptr, 0, kBorn + 1h).actions.front()).why,
            "expired");
  v.claim.expire_after = std::nullopt;
  EXPECT_TRUE(decide_expiration(v.claim, nullptr, 0, kBorn + 10000h).actions.empty());
}

TEST(ClaimConditions, TheTtlOfAProvisionerAppliesAsItIsNow) {
  View v = view();
  v.claim.meta.labels = {{std::string(model::kLabelProvisioner), "default"}};
  v.claim.expire_after = 1h;
  model::NodePool pool;
  pool.node_template.expire_after = 3h;
  EXPECT_EQ(*decide_expiration(v.claim, &pool, 0, kBorn + 2h).again, Duration(1h));
  EXPECT_FALSE(decide_expiration(v.claim, &pool, 0, kBorn + 3h).actions.empty());
  pool.node_template.expire_after = std::nullopt;
  EXPECT_TRUE(decide_expiration(v.claim, &pool, 0, kBorn + 10000h).actions.empty());
  EXPECT_TRUE(decide_expiration(v.claim, nullptr, 0, kBorn + 10000h).actions.empty()) << "nobody knows";
}

}  // namespace
}  // namespace tenon::controllers::claim_conditions
