// SPDX-License-Identifier: Apache-2.0
#include "model/structural_hash.h"

#include <gtest/gtest.h>

#include "model/node_pool.h"

namespace tenon::model {
namespace {

NodePool pool() {
  NodePool p;
  p.node_template.node_class_ref = {"karpenter.kwok.sh", "KWOKNodeClass", "default"};
  return p;
}

// Values that Karpenter itself writes for these templates.
TEST(NodePoolHash, PublishedValues) {
  NodePool p = pool();
  EXPECT_EQ(node_pool_hash(p), "12745407319442031341");

  p.node_template.expire_after = std::nullopt;
  EXPECT_EQ(node_pool_hash(p), "7428780003907761376");

  p = pool();
  p.node_template.labels["team"] = "a";
  EXPECT_EQ(node_pool_hash(p), "10172464548043488983");

  p.node_template.annotations["x"] = "y";
  p.node_template.taints = {{"k", "v", "NoSchedule", std::nullopt}};
  p.node_template.startup_taints = {{"s", "", "NoExecute", std::nullopt}};
  p.node_template.termination_grace_period = 300s;
  p.node_template.expire_after = 300s;
  EXPECT_EQ(node_pool_hash(p), "16086105072859253909");
}

TEST(NodePoolHash, OnlyTheTemplateCounts) {
  NodePool p = pool();
  const std::string before = node_pool_hash(p);
  p.weight = 7;
  p.limits = Resources{{"cpu", 1000}};
  p.node_template.requirements = {{"kubernetes.io/arch", Operator::kIn, {"arm64"}, std::nullopt}};
  EXPECT_EQ(node_pool_hash(p), before);
}

TEST(NodePoolHash, TheOrderOfTaintsDoesNotCount) {
  NodePool a = pool(), b = pool();
  const Taint x{"x", "", "NoSchedule", std::nullopt}, y{"y", "", "NoSchedule", std::nullopt};
  a.node_template.taints = {x, y};
  b.node_template.taints = {y, x};
  EXPECT_EQ(node_pool_hash(a), node_pool_hash(b));
}

}  // namespace
}  // namespace tenon::model
