// SPDX-License-Identifier: Apache-2.0
#include "scheduling/input/snapshot.h"

#include <gtest/gtest.h>

namespace tenon::scheduling {
namespace {

struct Parts {
  model::Node node;
  model::NodeClaim claim;
};

Parts parts() {
  Parts p;
  p.node.meta.name = "ip-10-0-0-1";
  p.node.meta.labels = {{"from", "node"}};
  p.node.capacity = {{"cpu", 4000}, {"memory", 0}};
  p.node.allocatable = {{"cpu", 3900}};
  p.node.taints = {{"node.kubernetes.io/not-ready", "", "NoSchedule", {}},
                   {"startup", "", "NoExecute", {}},
                   {"dedicated", "x", "NoSchedule", {}}};
  p.claim.meta.name = "default-abc";
  p.claim.meta.labels = {{"from", "claim"}, {"karpenter.sh/nodepool", "default"}};
  p.claim.capacity = {{"cpu", 9}, {"memory", 100}, {"pods", 29}};
  p.claim.allocatable = {{"cpu", 9}, {"memory", 90}};
  p.claim.taints = {{"dedicated", "claim", "NoSchedule", {}}};
  p.claim.startup_taints = {{"startup", "", "NoExecute", {}}};
  return p;
}

NodeView view(const Parts& p, bool with_node, bool with_claim) {
  NodeView v;
  if (with_node) v.node = std::make_shared<model::Node>(p.node);
  if (with_claim) v.claim = std::make_shared<model::NodeClaim>(p.claim);
  return v;
}

TEST(NodeView, InFlightIsWhatTheClaimSays) {
  const NodeView v = view(parts(), false, true);
  EXPECT_EQ(v.name(), "default-abc");
  EXPECT_EQ(v.pool(), "default");
  EXPECT_FALSE(v.registered());
  EXPECT_FALSE(v.initialized());
  EXPECT_EQ(v.labels().at("from"), "claim");
  EXPECT_EQ(v.taints().front().value, "claim");
  EXPECT_EQ(v.capacity().get("memory"), 100);
  EXPECT_EQ(v.capacity().get("nodes"), 1);
}

TEST(NodeView, RegisteredButNotInitialized) {
  Parts p = parts();
  p.node.meta.labels["karpenter.sh/registered"] = "true";
  const NodeView v = view(p, true, true);
  EXPECT_TRUE(v.registered());
  EXPECT_EQ(v.name(), "ip-10-0-0-1");
  EXPECT_EQ(v.labels().at("from"), "node");
  ASSERT_EQ(v.taints().size(), 1U) << "ephemeral and startup taints pass";
  EXPECT_EQ(v.taints().front().value, "x");
  EXPECT_EQ(v.capacity().get("cpu"), 4000);
  EXPECT_EQ(v.capacity().get("memory"), 100) << "zero is filled from the claim";
  EXPECT_EQ(v.allocatable().get("memory"), 90);
}

TEST(NodeView, InitializedIsWhatTheNodeSays) {
  Parts p = parts();
  p.node.meta.labels["karpenter.sh/registered"] = "true";
  p.node.meta.labels["karpenter.sh/initialized"] = "true";
  const NodeView v = view(p, true, true);
  EXPECT_TRUE(v.initialized());
  EXPECT_EQ(v.taints().size(), 3U);
  EXPECT_EQ(v.capacity().get("memory"), 0);
}

TEST(NodeView, ForeignNodesAreReadyAndCordonedOnesTainted) {
  Parts p = parts();
  p.node.unschedulable = true;
  const NodeView v = view(p, true, false);
  EXPECT_TRUE(v.registered() && v.initialized());
  EXPECT_TRUE(v.pool().empty());
  EXPECT_EQ(v.taints().back().key, "node.kubernetes.io/unschedulable");
}

TEST(NodeView, Deleting) {
  EXPECT_FALSE(view(parts(), true, true).deleting());
  Parts node = parts();
  node.node.meta.deleted_at = Instant{};
  EXPECT_TRUE(view(node, true, false).deleting());
  Parts claim = parts();
  claim.claim.meta.deleted_at = Instant{};
  EXPECT_TRUE(view(claim, true, true).deleting());
  Parts terminating = parts();
  terminating.claim.conditions = {{"InstanceTerminating", "True", "", "", {}, 0}};
  EXPECT_TRUE(view(terminating, true, true).deleting());
  NodeView marked = view(parts(), true, true);
  marked.marked_for_deletion = true;
  EXPECT_TRUE(marked.deleting());
}

TEST(NodeView, SumsItsPods) {
  NodeView v = view(parts(), true, true);
  model::Pod pod;
  pod.spec.edit().requests = {{"cpu", 100}, {"pods", 1}};
  v.pods = {std::make_shared<model::Pod>(pod), std::make_shared<model::Pod>(pod)};
  EXPECT_EQ(v.pod_requests(), (model::Resources{{"cpu", 200}, {"pods", 2}}));
}

}  // namespace
}  // namespace tenon::scheduling
