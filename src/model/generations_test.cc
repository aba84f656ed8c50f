// SPDX-License-Identifier: Apache-2.0
#include "model/generations.h"

#include <gtest/gtest.h>

#include "model/global_settings.h"
#include "model/labels.h"

namespace tenon::model {
namespace {

TEST(GenerationsTest, PoolsOfEqualNamesHaveDifferentKeys) {
  const StringMap current{{std::string(kLabelNodePool), "default"}};
  const StringMap earlier{{std::string(kLabelProvisioner), "default"}};
  EXPECT_EQ(pool_of(current), "default");
  EXPECT_EQ(pool_of(earlier), "provisioner/default");
  EXPECT_EQ(pool_of({}), "");
  for (const StringMap& labels : {current, earlier}) {
    const auto [key, name] = pool_label(pool_of(labels));
    EXPECT_EQ(lookup(labels, key), name);
  }
}

TEST(GenerationsTest, AKeyOutlivesTheLabels) {
  std::string_view key;
  {
    StringMap labels{{std::string(kLabelProvisioner), "gone"}};
    key = pool_of(labels);
    labels.clear();
  }
  EXPECT_EQ(key, "provisioner/gone");
  EXPECT_EQ(object_name(key), "gone");
  EXPECT_EQ(pool_reference(key), "provisioner/gone");
  EXPECT_EQ(pool_reference("default"), "nodepool/default");
}

TEST(GenerationsTest, AClassReferenceHasTheKeyOfItsCache) {
  EXPECT_EQ((NodeClassRef{"karpenter.k8s.aws", "EC2NodeClass", "default"}).key(), "default");
  EXPECT_EQ((NodeClassRef{"karpenter.k8s.aws", "AWSNodeTemplate", "default"}).key(), "awsnodetemplate/default");
  EXPECT_EQ((NodeClassRef{"karpenter.kwok.sh", "KWOKNodeClass", "default"}).key(), "kwoknodeclass/default");
}

TEST(GlobalSettingsTest, FieldsOfTheTemplateWin) {
  GlobalSettings settings;
  settings.default_instance_profile = "common";
  settings.tags = {{"team", "a"}, {"stage", "dev"}};
  NodeClass plain, own;
  own.instance_profile = "own";
  own.tags = {{"team", "b"}};
  own.ami_selector_terms = {{.id = "ami-1"}};
  plain = with_settings(plain, settings, "al2023@latest");
  own = with_settings(own, settings, "al2023@latest");
  EXPECT_EQ(plain.instance_profile, "common");
  EXPECT_EQ(plain.tags, settings.tags);
  ASSERT_EQ(plain.ami_selector_terms.size(), 1u);
  EXPECT_EQ(plain.ami_selector_terms[0].alias, "al2023@latest");
  EXPECT_EQ(own.instance_profile, "own");
  EXPECT_EQ(own.tags, (StringMap{{"team", "b"}, {"stage", "dev"}}));
  EXPECT_EQ(own.ami_selector_terms[0].id, "ami-1");
}

TEST(GlobalSettingsTest, DecideTheResourcesOfNodes) {
  GlobalSettings settings;
  EXPECT_FALSE(with_settings(NodeClass(), settings, "").pod_eni);
  EXPECT_TRUE(with_settings(NodeClass(), settings, "").eni_limited_pods);
  settings.pod_eni = true;
  settings.eni_limited_pods = false;
  EXPECT_TRUE(with_settings(NodeClass(), settings, "").pod_eni);
  EXPECT_FALSE(with_settings(NodeClass(), settings, "").eni_limited_pods);
}

TEST(GlobalSettingsTest, DriftHasABudgetOnlyWithItsGate) {
  NodePool pool;
  pool.budgets = {{.reasons = {"Empty"}, .nodes = "100%"}, {.reasons = {"Drifted"}, .nodes = "1"}};
  GlobalSettings settings;
  EXPECT_EQ(with_settings(pool, settings).budgets[1].nodes, "0");
  EXPECT_EQ(with_settings(pool, settings).budgets[0].nodes, "100%");
  settings.drift = true;
  EXPECT_EQ(with_settings(pool, settings).budgets[1].nodes, "1");
}

TEST(GlobalSettingsTest, TheDefaultImageFollowsTheVersion) {
  EXPECT_EQ(default_ami_alias(""), "");
  EXPECT_EQ(default_ami_alias("v1.32.5-eks-1"), "al2@latest");
  EXPECT_EQ(default_ami_alias("v1.33.0"), "al2023@latest");
  EXPECT_EQ(default_ami_alias("1.34"), "al2023@latest");
}

}  // namespace
}  // namespace tenon::model
