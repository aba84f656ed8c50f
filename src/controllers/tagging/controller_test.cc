// SPDX-License-Identifier: Apache-2.0
#include "controllers/tagging/controller.h"

#include <gtest/gtest.h>

#include "model/labels.h"

namespace tenon::controllers::tagging {
namespace {

model::NodeClaim registered() {
  model::NodeClaim claim;
  claim.meta.name = "default-abcde";
  claim.node_class_ref = {"karpenter.k8s.aws", "EC2NodeClass", "default"};
  claim.provider_id = "aws:///us-east-1a/i-0123456789abcdef0";
  claim.node_name = "ip-10-0-0-1.ec2.internal";
  return claim;
}

TEST(Tagging, IsDueFromTheRegistrationUntilItIsMarked) {
  model::NodeClaim claim = registered();
  EXPECT_TRUE(is_due(claim));
  claim.node_name.clear();
  EXPECT_FALSE(is_due(claim)) << "the Node's name is not known";
  claim = registered();
  claim.provider_id.clear();
  EXPECT_FALSE(is_due(claim)) << "there is no instance";
  claim = registered();
  claim.meta.deleted_at = Instant();
  EXPECT_FALSE(is_due(claim)) << "the instance is about to go";
}

TEST(Tagging, InstancesWithoutTagsAreNeverDue) {
  model::NodeClaim claim = registered();
  claim.node_class_ref = {"karpenter.kwok.sh", "KWOKNodeClass", "default"};
  EXPECT_FALSE(is_due(claim));
}

// A claim with the first mark only comes from a version of Karpenter that did not write the cluster's tag.
TEST(Tagging, BothMarksMustBeTrue) {
  model::NodeClaim claim = registered();
  claim.meta.annotations[std::string(model::kAnnotationTagged)] = "true";
  EXPECT_TRUE(is_due(claim));
  claim.meta.annotations[std::string(model::kAnnotationClusterTagged)] = "false";
  EXPECT_TRUE(is_due(claim));
  claim.meta.annotations[std::string(model::kAnnotationClusterTagged)] = "true";
  EXPECT_FALSE(is_due(claim));
}

}  // namespace
}  // namespace tenon::controllers::tagging
