// SPDX-License-Identifier: Apache-2.0
#include "controllers/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/labels.h"

namespace tenon::controllers {
namespace {

using ::testing::HasSubstr;

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
  model::Node node;
  node.meta.labels = {{std::string(model::kLabelProvisioner), "default"}};
  node.meta.finalizers = {std::string(model::kFinalizerTermination)};
  node.meta.deleted_at = Instant();
  model::Node released = node;
  released.meta.finalizers.clear();
  metrics.performed(plan::PatchNode{node, released}, Instant(30s));
  metrics.deprovisioned_v027("underutilized", "replace");
  const std::string text = registry.text();
  EXPECT_THAT(text,
              HasSubstr("karpenter_nodes_termination_time_seconds{provisioner=\"default\",quantile=\"0.5\"} 30\n"));
  EXPECT_THAT(text, HasSubstr("karpenter_deprovisioning_actions_performed{action=\"consolidation/replace\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("karpenter_nodes_created{reason=\"provisioning\",provisioner=\"default\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("karpenter_nodes_terminated{reason=\"emptiness/delete\",provisioner=\"default\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("karpenter_nodes_terminated{reason=\"expiration/replace\",provisioner=\"default\"} 1\n"));
}

}  // namespace
}  // namespace tenon::controllers
