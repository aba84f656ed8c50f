// SPDX-License-Identifier: Apache-2.0
#include "controllers/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/labels.h"

namespace tenon::controllers {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

model::NodeClaim claim(std::string_view label) {
  model::NodeClaim claim;
  claim.meta.labels = {{std::string(label), "default"}};
  return claim;
}

TEST(Metrics, ProvisionersAreCountedByTheNamesOfTheirTime) {
  metrics::Registry registry;
  Metrics metrics(registry);
  metrics.performed(plan::CreateNodeClaim{.claim = claim(model::kLabelProvisioner), .why = "provisioned"}, {});
  metrics.performed(plan::CreateNodeClaim{.claim = claim(model::kLabelNodePool), .why = "provisioned"}, {});
  metrics.performed(plan::DeleteNodeClaim{claim(model::kLabelProvisioner), "empty", "when_empty", 0}, {});
  metrics.performed(plan::DeleteNodeClaim{claim(model::kLabelProvisioner), "expired", "", 0}, {});
  const std::string text = registry.text();
  EXPECT_THAT(text, HasSubstr("karpenter_nodes_created{reason=\"provisioning\",provisioner=\"default\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("karpenter_nodes_terminated{reason=\"emptiness/delete\",provisioner=\"default\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("karpenter_nodes_terminated{reason=\"expiration/replace\",provisioner=\"default\"} 1\n"));
}

TEST(Metrics, AProvisionerHasItsUsageUntilItIsGone) {
  metrics::Registry registry;
  Metrics metrics(registry);
  model::NodePool pool;
  pool.resources.set("cpu", 6000);
  pool.limits.emplace();
  pool.limits->set("cpu", 24000);
  metrics.provisioner("provisioner/default", &pool);
  metrics.provisioner("default", &pool);
  const std::string labels = "{provisioner=\"default\",resource_type=\"cpu\"} ";
  EXPECT_THAT(registry.text(), HasSubstr("karpenter_provisioner_usage" + labels + "6\n"));
  EXPECT_THAT(registry.text(), HasSubstr("karpenter_provisioner_limit" + labels + "24\n"));
  EXPECT_THAT(registry.text(), HasSubstr("karpenter_provisioner_usage_pct" + labels + "25\n"));
  metrics.provisioner("provisioner/default", nullptr);
  EXPECT_THAT(registry.text(), Not(HasSubstr(labels)));
}

}  // namespace
}  // namespace tenon::controllers
