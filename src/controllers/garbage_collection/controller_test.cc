// SPDX-License-Identifier: Apache-2.0
#include "controllers/garbage_collection/controller.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "cloud/launch_batch.h"
#include "controllers/testing/wired.h"
#include "model/unreadable.h"

namespace tenon::controllers::garbage_collection {
namespace {

const Instant kNow(1'000'000s);
const std::string kId = "aws:///us-east-1a/i-1";

// Replaces the object by a copy, and returns the copy.
template <class T>
T& edited(std::shared_ptr<const T>& object) {
  auto copy = std::make_shared<T>(*object);
  T& out = *copy;
  object = std::move(copy);
  return out;
}

View view() {
  View v;
  v.pods_on = [](const std::string& node) { return node == "n1" ? 3 : 0; };
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
  claim.node_name = "n1";
  v.claims = {std::make_shared<const model::NodeClaim>(claim)};
  model::Node node;
  node.meta.name = "n1";
  node.provider_id = instance.provider_id;
  node.conditions = {{"Ready", "True", "", "", kNow}};
  v.nodes = {std::make_shared<const model::Node>(node)};
  return v;
}

TEST(GarbageCollection, WhatBelongsTogetherStays) {
  View v = view();
  v.pods_on = [](const std::string& node) {
    ADD_FAILURE() << "a look at the pods of " << node << " costs time for nothing";
    return 0;
  };
  const Garbage garbage = find_garbage(v);
  EXPECT_TRUE(garbage.instances.empty());
  EXPECT_TRUE(garbage.claims.empty());
}

TEST(GarbageCollection, AnInstanceWithoutAClaimGoesOnceItIsOldEnough) {
  View v = view();
  v.claims.clear();
  ASSERT_EQ(find_garbage(v).instances.size(), 1u);
  EXPECT_EQ(find_garbage(v).instances[0].provider_id, kId);
  v.instances[0].launched_at = kNow - 30s;
  EXPECT_TRUE(find_garbage(v).instances.empty()) << "its claim may be on the way";
  v.instances[0].launched_at = kNow - 1h;
  v.instances[0].deleting = true;
  EXPECT_TRUE(find_garbage(v).instances.empty()) << "it is going already";
}

TEST(GarbageCollection, AClaimWhoseInstanceVanishedGoesUnlessItsNodeIsReady) {
  View v = view();
  v.instances.clear();
  EXPECT_TRUE(find_garbage(v).claims.empty()) << "a Ready node proves that the list is wrong";
  edited(v.nodes[0]).conditions.clear();
  ASSERT_EQ(find_garbage(v).claims.size(), 1u);
  EXPECT_EQ(find_garbage(v).claims[0].why, "garbage_collected");
  EXPECT_EQ(find_garbage(v).claims[0].pods, 3u);
  View half_read = v;
  edited(half_read.claims[0])
      .conditions.push_back({std::string(model::kUnreadable), "True", "", "spec: is wrong", kNow});
  EXPECT_TRUE(find_garbage(half_read).claims.empty()) << "who knows what else it says";
  edited(v.claims[0]).conditions.clear();
  EXPECT_TRUE(find_garbage(v).claims.empty()) << "not registered yet: liveness decides";
}

TEST(GarbageCollection, WhoseInstanceItMayBe) {
  cloud::Instance instance;
  instance.provider_id = kId;
  instance.claim_name = "c1";
  model::NodeClaim claim;
  claim.meta.name = "c1";
  EXPECT_TRUE(may_own(claim, instance)) << "it does not say yet which";
  claim.provider_id = "aws:///us-east-1a/i-2";
  EXPECT_FALSE(may_own(claim, instance)) << "it has another one";
  claim.provider_id = kId;
  EXPECT_TRUE(may_own(claim, instance));
  model::NodeClaim other;
  other.meta.name = "c2";
  EXPECT_FALSE(may_own(other, instance));
  other.conditions = {{std::string(model::kUnreadable), "True", "", "status: is wrong", kNow}};
  EXPECT_TRUE(may_own(other, instance)) << "its id may be what cannot be read";
}

TEST(GarbageCollection, AnInstanceOfABatchMayBelongToEachClaimOfItThatHasNone) {
  cloud::Instance instance;
  instance.provider_id = kId;
  instance.launch_batch = "7-0";
  model::NodeClaim claim;
  claim.meta.name = "c1";
  EXPECT_FALSE(may_own(claim, instance)) << "the claim is in no batch";
  claim.meta.annotations[std::string(cloud::kAnnotationLaunchBatch)] = cloud::format_launch_batch({"7-1", 0, 2});
  EXPECT_FALSE(may_own(claim, instance)) << "the claim is in another batch";
  claim.meta.annotations[std::string(cloud::kAnnotationLaunchBatch)] = cloud::format_launch_batch({"7-0", 0, 2});
  EXPECT_TRUE(may_own(claim, instance));
  claim.provider_id = "aws:///us-east-1a/i-2";
  EXPECT_FALSE(may_own(claim, instance)) << "the claim has its instance";
  claim.provider_id.clear();
  instance.claim_name = "c2";
  EXPECT_FALSE(may_own(claim, instance)) << "the instance has its claim";
}

TEST(GarbageCollection, OnePassEndsATenthAndAtLeastOne) {
  EXPECT_EQ(most_in_a_pass(0), 1u);
  EXPECT_EQ(most_in_a_pass(1), 1u);
  EXPECT_EQ(most_in_a_pass(19), 1u);
  EXPECT_EQ(most_in_a_pass(200), 20u);
}

constexpr const char* kClaims = "/apis/karpenter.sh/v1/nodeclaims";
constexpr const char* kNodes = "/api/v1/nodes";
constexpr const char* kPools = "/apis/karpenter.sh/v1/nodepools";
constexpr const char* kEvents = "/api/v1/events";

std::string id_of(int i) { return "aws:///us-east-1a/i-" + std::to_string(i); }

// The whole controller, over the wire to the API server.
class GarbageCollector : public ::testing::Test {
 protected:
  GarbageCollector() { api_.put(kPools, R"({"metadata":{"name":"default"},"spec":{}})"); }
  // Registered claims with an instance each; tagged with their names if `tagged`.
  void have(int count, bool tagged) {
    for (int i = 0; i < count; ++i) {
      const std::string n = std::to_string(i);
      api_.put(kClaims, R"({"metadata":{"name":"c)" + n +
                            R"(","labels":{"karpenter.sh/nodepool":"default"}},"spec":{"requirements":[]},)" +
                            R"("status":{"providerID":")" + id_of(i) +
                            R"(","conditions":[{"type":"Registered","status":"True"}]}})");
      cloud::Instance instance;
      instance.provider_id = id_of(i);
      instance.pool = "default";
      if (tagged) instance.claim_name = "c" + n;
      cloud_.put(instance);
    }
  }
  void run(Duration span) {
    if (!started_) {
      wired_.events.start();
      cluster_.start();
      collector_.start();
    }
    started_ = true;
    sim_->run_for(span);
  }
  // The watch ends and a new list is needed.
  void cut() { api_.compact(false); }

  controllers::testing::Wired wired_;
  runtime::SimRuntime* const sim_ = wired_.sim.get();
  kube::testing::FakeApi& api_ = wired_.api;
  state::Cluster& cluster_ = wired_.cluster;
  cloud::testing::MemoryProvider& cloud_ = wired_.cloud;
  Metrics& metrics_ = wired_.metrics;
  Controller collector_{wired_.context, wired_.cloud};
  bool started_ = false;
};

TEST_F(GarbageCollector, TheInstanceOfADeletedLastClaimIsTerminated) {
  have(1, true);
  run(30s);
  EXPECT_TRUE(cloud_.removed.empty());
  api_.remove(kClaims, "c0");
  run(11s);
  EXPECT_EQ(cloud_.removed, std::vector<std::string>{id_of(0)});
}

TEST_F(GarbageCollector, AKindThatVanishesEndsNothing) {
  have(1, true);
  run(30s);
  api_.forget_kind(kClaims, true);
  cut();
  run(1h);
  EXPECT_TRUE(cloud_.removed.empty());
  api_.forget_kind(kClaims, false);
  run(10min);
  EXPECT_TRUE(cloud_.removed.empty());
}

// Lists stay wrong: the claims are dropped from the cache, and each instance's claim is read by name.
TEST_F(GarbageCollector, AListThatShrankIsNotBelievedAgainstTheClaimItself) {
  have(3, true);
  run(30s);
  api_.truncate_lists(kClaims, {"c0", "c1", "c2"});
  cut();
  run(1h);
  EXPECT_TRUE(cluster_.claims.list().empty());
  EXPECT_TRUE(cloud_.removed.empty());
}

// A watch that lost an event, and instances without a name yet: all claims are read again.
TEST_F(GarbageCollector, AStaleCacheIsNotBelievedAgainstAFreshList) {
  have(3, false);
  api_.truncate_lists(kClaims, {"c1"});
  run(5s);
  api_.truncate_lists(kClaims, {});
  run(1h);
  EXPECT_EQ(cluster_.claims.list().size(), 2u);
  EXPECT_TRUE(cloud_.removed.empty());
}

TEST_F(GarbageCollector, AClaimThatCannotBeReadKeepsItsInstance) {
  have(2, false);
  run(30s);
  api_.put(kClaims, R"({"metadata":{"name":"c1"},"spec":{"requirements":"none"},"status":{"providerID":7}})");
  run(1h);
  EXPECT_TRUE(cloud_.removed.empty());
  EXPECT_EQ(api_.count(kClaims), 2u);
}

TEST_F(GarbageCollector, AnErrorOnTheQuestionEndsNothing) {
  have(1, true);
  run(30s);
  api_.remove(kClaims, "c0");
  run(1s);
  api_.fail_next(1000, 500);
  run(1min);
  EXPECT_TRUE(cloud_.removed.empty());
}

TEST_F(GarbageCollector, ManyAtOnceAreEndedSlowlyAndReportedOnce) {
  have(20, true);
  run(30s);
  for (int i = 0; i < 20; ++i) api_.remove(kClaims, "c" + std::to_string(i));
  run(11s);
  EXPECT_EQ(cloud_.removed.size(), 2u) << "a tenth";
  EXPECT_EQ(metrics_.collection_held_back.value({{"kind", "Instance"}}), 18);
  run(kInterval - 20s);
  EXPECT_EQ(cloud_.removed.size(), 2u);
  run(2 * kInterval);
  EXPECT_EQ(cloud_.removed.size(), 4u) << "of eighteen, then of seventeen: one each";
  const auto said = [&](const std::string& what) {
    const auto lines = wired_.log->messages(log::Level::kInfo);
    return std::count_if(lines.begin(), lines.end(), [&](const auto& line) { return line.find(what) == 0; });
  };
  EXPECT_EQ(said("20 instances without a NodeClaim were found at once; at most 2 are ended every 2m0s"), 1);
  EXPECT_EQ(api_.count(kEvents), 1u);
  run(24h);
  EXPECT_EQ(cloud_.removed.size(), 20u) << "none leaks";
  EXPECT_EQ(metrics_.collection_held_back.value({{"kind", "Instance"}}), 0);
}

// DescribeInstances returns nothing although all instances exist.
TEST_F(GarbageCollector, AnEmptyListOfInstancesDeletesNoClaim) {
  have(20, true);
  run(30s);
  cloud_.hide_all();
  run(1h);
  EXPECT_EQ(api_.count(kClaims), 20u);
  cloud_.outage = Code::kUnavailable;
  run(1h);
  EXPECT_EQ(api_.count(kClaims), 20u);
}

TEST_F(GarbageCollector, ClaimsOfVanishedInstancesGoSlowly) {
  have(20, true);
  run(30s);
  cloud_.end_all();
  run(11s);
  EXPECT_EQ(api_.count(kClaims), 18u);
  EXPECT_EQ(metrics_.collection_held_back.value({{"kind", "NodeClaim"}}), 18);
  EXPECT_EQ(api_.count(kEvents), 2u) << "GarbageCollectionLimited and InstancesLost";
  run(24h);
  EXPECT_EQ(api_.count(kClaims), 0u);
}

}  // namespace
}  // namespace tenon::controllers::garbage_collection
