// SPDX-License-Identifier: Apache-2.0
#include "controllers/garbage_collection/controller.h"

#include <gtest/gtest.h>

namespace tenon::controllers::garbage_collection {
namespace {

const Instant kNow(1'000'000s);

View view() {
  View v;
  v.now = kNow;
  cloud::Instance instance;
  instance.provider_id = "aws:///us-east-1a/i-1";
  instance.launched_at = kNow - 31s;
  v.instances = {instance};
  model::NodeClaim claim;
  claim.meta.name = "c1";
  claim.meta.uid = "u1";
  claim.provider_id = instance.provider_id;
  claim.conditions = {{"Registered", "True", "Registered", "", kNow}};
  v.claims = {claim};
  model::Node node;
  node.meta.name = "n1";
  node.provider_id = instance.provider_id;
  node.conditions = {{"Ready", "True", "", "", kNow}};
  v.nodes = {node};
  return v;
}

TEST(GarbageCollection, WhatBelongsTogetherStays) {
  const Garbage garbage = decide(view());
  EXPECT_TRUE(garbage.provider_ids.empty());
  EXPECT_TRUE(garbage.plan.actions.empty());
}

TEST(GarbageCollection, AnInstanceWithoutAClaimGoesWithItsNodeOnceItIsOldEnough) {
  View v = view();
  v.claims.clear();
  Garbage garbage = decide(v);
  EXPECT_EQ(garbage.provider_ids, std::vector<std::string>{"aws:///us-east-1a/i-1"});
  EXPECT_EQ(std::get<plan::DeleteNode>(garbage.plan.actions.front()).name, "n1");
  v.instances[0].launched_at = kNow - 30s;
  EXPECT_TRUE(decide(v).provider_ids.empty()) << "its claim may be on the way";
  v.instances[0].launched_at = kNow - 1h;
  v.instances[0].deleting = true;
  EXPECT_TRUE(decide(v).provider_ids.empty()) << "it is going already";
}

TEST(GarbageCollection, AClaimWhoseInstanceVanishedGoesUnlessItsNodeIsReady) {
  View v = view();
  v.instances.clear();
  EXPECT_TRUE(decide(v).plan.actions.empty()) << "a Ready node proves that the list is wrong";
  v.nodes[0].conditions.clear();
  EXPECT_EQ(std::get<plan::DeleteNodeClaim>(decide(v).plan.actions.front()).why, "garbage_collected");
  v.claims[0].conditions.clear();
  EXPECT_TRUE(decide(v).plan.actions.empty()) << "not registered yet: liveness decides";
}

}  // namespace
}  // namespace tenon::controllers::garbage_collection
