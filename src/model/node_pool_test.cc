// SPDX-License-Identifier: Apache-2.0
#include "model/node_pool.h"

#include <gtest/gtest.h>

namespace tenon::model {
namespace {

NodePool with(std::vector<RequirementSpec> requirements) {
  NodePool pool;
  pool.node_template.requirements = std::move(requirements);
  return pool;
}
NodePool labelled(std::string key, std::string value) {
  NodePool pool;
  pool.node_template.labels = {{std::move(key), std::move(value)}};
  return pool;
}
NodePool tainted(std::vector<Taint> taints, std::vector<Taint> startup = {}) {
  NodePool pool;
  pool.node_template.taints = std::move(taints);
  pool.node_template.startup_taints = std::move(startup);
  return pool;
}

TEST(NodePool, ValidOnes) {
  EXPECT_TRUE(validate(NodePool{}));
  EXPECT_TRUE(validate(labelled("team", "")));
  EXPECT_TRUE(validate(labelled("example.com/team", "a-b_c.d")));
  EXPECT_TRUE(validate(tainted({{"a", "b", "NoSchedule", {}}, {"a", "b", "NoExecute", {}}})));
  EXPECT_TRUE(validate(with({{"karpenter.sh/capacity-type", Operator::kIn, {"spot", "strange"}, {}},
                             {"karpenter.k8s.aws/instance-generation", Operator::kGt, {"2"}, 5},
                             {"beta.kubernetes.io/arch", Operator::kExists, {}, {}}})));
}

TEST(NodePool, NamesWhatIsWrongAndWhere) {
  struct Row {
    NodePool pool;
    const char *path, *part;
  };
  const Row rows[] = {
      {labelled("karpenter.sh/nodepool", "x"), "spec.template.metadata.labels", "restricted"},
      {labelled("kubernetes.io/hostname", "x"), "spec.template.metadata.labels", "using label kubernetes.io/hostname"},
      {labelled("bad key", "x"), "spec.template.metadata.labels", "qualified"},
      {labelled("Upper.Case/x", "x"), "spec.template.metadata.labels", "qualified"},
      {labelled("team", "-x"), "spec.template.metadata.labels", "invalid value"},
      {tainted({{"a", "", "NoSchedule", {}}}, {{"a", "x", "NoSchedule", {}}}), "spec.template.spec.startupTaints[0]",
       "duplicate taint Key/Effect pair a=NoSchedule"},
      {tainted({{"a", "", "Sometimes", {}}}), "spec.template.spec.taints[0].effect", "Sometimes"},
      {with({{"karpenter.sh/nodepool", Operator::kIn, {"x"}, {}}}), "spec.template.spec.requirements[0]", "restricted"},
      {with({{"karpenter.sh/registered", Operator::kExists, {}, {}}}), "spec.template.spec.requirements[0]",
       "using label"},
      {with({{"k", Operator::kIn, {}, {}}}), "spec.template.spec.requirements[0]", "must have a value"},
      {with({{"k", Operator::kIn, {"a"}, 2}}), "spec.template.spec.requirements[0]", "minValues 2"},
      {with({{"k", Operator::kGt, {"-1"}, {}}}), "spec.template.spec.requirements[0]", "single positive integer"},
      {with({{"k", Operator::kLte, {"1", "2"}, {}}}), "spec.template.spec.requirements[0]", "single positive integer"},
      {with({{"karpenter.sh/capacity-type", Operator::kIn, {"cheap"}, {}}}), "spec.template.spec.requirements[0]",
       "no valid values"},
  };
  for (const Row& row : rows) {
    const Status status = validate(row.pool);
    ASSERT_FALSE(status) << row.part;
    EXPECT_TRUE(status.error().message.starts_with(row.path)) << status.error().message;
    EXPECT_NE(status.error().message.find(row.part), std::string::npos) << status.error().message;
  }
}

}  // namespace
}  // namespace tenon::model
