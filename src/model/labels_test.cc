// SPDX-License-Identifier: Apache-2.0
#include "model/labels.h"

#include <gtest/gtest.h>

namespace tenon::model {
namespace {

TEST(Labels, AliasesBecomeCanonical) {
  EXPECT_EQ(canonical_label("beta.kubernetes.io/arch"), kLabelArch);
  EXPECT_EQ(canonical_label("beta.kubernetes.io/os"), kLabelOs);
  EXPECT_EQ(canonical_label("beta.kubernetes.io/instance-type"), kLabelInstanceType);
  EXPECT_EQ(canonical_label("failure-domain.beta.kubernetes.io/zone"), kLabelZone);
  EXPECT_EQ(canonical_label("failure-domain.beta.kubernetes.io/region"), kLabelRegion);
  EXPECT_EQ(canonical_label("topology.ebs.csi.aws.com/zone"), kLabelZone);
  EXPECT_EQ(canonical_label("team"), "team");
}

TEST(Labels, RestrictedOnes) {
  for (const char* key :
       {"karpenter.sh/registered", "sub.karpenter.sh/x", "kubernetes.io/hostname", "karpenter.k8s.aws/ec2nodeclass"}) {
    ASSERT_TRUE(restricted_label_reason(key)) << key;
    EXPECT_TRUE(restricted_label_reason(key)->starts_with(std::string("using label ") + key + " is not allowed"))
        << key;
    EXPECT_TRUE(is_restricted_node_label(key)) << key;
  }
  for (const char* key : {"karpenter.sh/capacity-type", "kubernetes.io/role", "team", "mykarpenter.sh/x"}) {
    EXPECT_FALSE(restricted_label_reason(key)) << key;
  }
  EXPECT_TRUE(is_restricted_node_label(kLabelZone));
  EXPECT_FALSE(is_restricted_node_label("team"));
}

}  // namespace
}  // namespace tenon::model
