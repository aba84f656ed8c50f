// Provisioners and AWSNodeTemplates of v0.27 in the live controllers, beside the NodePool of the cluster.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/json.h"
#include "simulation/life.h"

namespace tenon::simulation {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

const kubesim::Resource kProvisioners{"karpenter.sh", "provisioners"};
const kubesim::Resource kTemplates{"karpenter.k8s.aws", "awsnodetemplates"};

constexpr const char* kNamespace = "{apiVersion: v1, kind: Namespace, metadata: {name: karpenter}}";
constexpr const char* kSettings = R"(
apiVersion: v1
kind: ConfigMap
metadata: {name: karpenter-global-settings, namespace: karpenter}
data: {aws.defaultInstanceProfile: KarpenterNodeInstanceProfile-demo}
)";
constexpr const char* kTemplate = R"(
apiVersion: karpenter.k8s.aws/v1alpha1
kind: AWSNodeTemplate
metadata: {name: default}
spec:
  subnetSelector: {karpenter.sh/discovery: demo}
  securityGroupSelector: {karpenter.sh/discovery: demo}
)";

std::string provisioner(const std::string& name, const std::string& more) {
  return "{apiVersion: karpenter.sh/v1alpha5, kind: Provisioner, metadata: {name: " + name +
         "}, spec: {providerRef: {name: default}, requirements: [{key: node.kubernetes.io/instance-type, operator: In, "
         "values: [m5.large]}]" +
         more + "}}";
}

LifeOptions on_provisioner(const std::string& name) {
  LifeOptions options;
  options.types = {"c5.large", "m5.large"};
  options.pod_millicores = 100;
  options.pod_mib = 128;
  options.pod_rules = "nodeSelector: {karpenter.sh/provisioner-name: " + name + "}";
  return options;
}

// Reason and message of the events about objects of this kind.
std::vector<std::string> events_about(Life& life, std::string_view kind) {
  std::vector<std::string> out;
  const auto listed = life.api().list({"", "events"}, "");
  for (const auto& event : listed->items) {
    if (json::string_at(*event, {"involvedObject", "kind"}) == kind)
      out.push_back(std::string(json::string_at(*event, {"reason"})) + ": " +
                    std::string(json::string_at(*event, {"message"})));
  }
  return out;
}

// The ConfigMap is created last, and its profile takes effect without a restart. Until then the template has no
// profile: the controller reports the missing field and creates no profile in IAM.
TEST(EarlierApi, ANodeTemplateFollowsTheSettings) {
  Life life(on_provisioner("old"));
  ASSERT_TRUE(life.settle());
  const int profiles = life.calls("CreateInstanceProfile");  // that of the EC2NodeClass
  life.create(kTemplates, "", kTemplate);
  life.create(kProvisioners, "", provisioner("old", ""));
  life.scale(3);
  life.run_for(5min);
  EXPECT_TRUE(life.nodes().empty());
  EXPECT_THAT(life.condition(kProvisioners, "", "old", "Ready"), HasSubstr("False"));
  const std::string missing =
      "AWSNodeTemplate default: spec.instanceProfile is not set, and ConfigMap karpenter-global-settings has no "
      "aws.defaultInstanceProfile";
  EXPECT_THAT(events_about(life, "AWSNodeTemplate"), Contains("InstanceProfileMissing: " + missing));
  EXPECT_EQ(life.calls("CreateInstanceProfile"), profiles);
  life.create({"", "namespaces"}, "", kNamespace);
  life.create({"", "configmaps"}, "karpenter", kSettings);
  ASSERT_TRUE(life.run_until_running(3));
  EXPECT_EQ(life.condition(kProvisioners, "", "old", "Ready"), "True Ready");
  ASSERT_EQ(life.nodes().size(), 1u);
  EXPECT_EQ(life.nodes().front().type, "m5.large");

  // After the setting is removed, the former profile is no longer used.
  life.remove({"", "configmaps"}, "karpenter", "karpenter-global-settings");
  life.run_for(2min);
  EXPECT_THAT(life.condition(kProvisioners, "", "old", "NodeClassReady"), HasSubstr("InstanceProfileReady=False"));
  EXPECT_EQ(life.running_pods(), 3);
}

TEST(EarlierApi, AnInlineProviderWithoutAProfileIsRefused) {
  Life life(on_provisioner("old"));
  ASSERT_TRUE(life.settle());
  const int profiles = life.calls("CreateInstanceProfile");
  life.create(
      kProvisioners, "",
      "{apiVersion: karpenter.sh/v1alpha5, kind: Provisioner, metadata: {name: old}, spec: {provider: "
      "{subnetSelector: {karpenter.sh/discovery: demo}, securityGroupSelector: {karpenter.sh/discovery: demo}}}}");
  life.scale(3);
  life.run_for(5min);
  EXPECT_TRUE(life.nodes().empty());
  EXPECT_THAT(
      events_about(life, "Provisioner"),
      Contains("InstanceProfileMissing: Provisioner old: spec.provider.instanceProfile is not set, and ConfigMap "
               "karpenter-global-settings has no aws.defaultInstanceProfile"));
  EXPECT_EQ(life.calls("CreateInstanceProfile"), profiles);
}

// Two Provisioners share a template, and only one limits the pods of a node.
TEST(EarlierApi, TheKubeletOfAProvisionerCounts) {
  for (const auto& [name, nodes] : {std::pair("roomy", 1u), std::pair("narrow", 3u)}) {
    Life life(on_provisioner(name));
    life.create({"", "namespaces"}, "", kNamespace);
    life.create({"", "configmaps"}, "karpenter", kSettings);
    life.create(kTemplates, "", kTemplate);
    life.create(kProvisioners, "", provisioner("roomy", ""));
    life.create(kProvisioners, "", provisioner("narrow", ", kubeletConfiguration: {maxPods: 2}"));
    life.scale(6);
    ASSERT_TRUE(life.settle());
    EXPECT_EQ(life.nodes().size(), nodes) << name;
  }
}

TEST(EarlierApi, NodesExpireAndEmptyNodesEnd) {
  Life life(on_provisioner("old"));
  life.create({"", "namespaces"}, "", kNamespace);
  life.create({"", "configmaps"}, "karpenter", kSettings);
  life.create(kTemplates, "", kTemplate);
  life.create(kProvisioners, "", provisioner("old", ", ttlSecondsAfterEmpty: 60, ttlSecondsUntilExpired: 7200"));
  life.scale(3);
  ASSERT_TRUE(life.settle());
  ASSERT_EQ(life.nodes().size(), 1u);
  const std::string first = life.nodes().front().name;
  life.run_for(1h);
  ASSERT_EQ(life.nodes().size(), 1u);
  EXPECT_EQ(life.nodes().front().name, first);
  life.run_for(70min);
  ASSERT_TRUE(life.settle());
  ASSERT_EQ(life.nodes().size(), 1u);
  EXPECT_NE(life.nodes().front().name, first);
  life.scale(0);
  ASSERT_TRUE(life.settle());
  EXPECT_TRUE(life.nodes().empty());
}

// A setting changes the capacity of nodes that are launched from then on, without a restart and without an edit of the
// template.
TEST(EarlierApi, PodDensityFollowsTheSettings) {
  LifeOptions options = on_provisioner("old");
  options.pod_millicores = 10;
  options.pod_mib = 32;
  Life life(options);
  life.create({"", "namespaces"}, "", kNamespace);
  life.create({"", "configmaps"}, "karpenter", kSettings);
  life.create(kTemplates, "", kTemplate);
  life.create(kProvisioners, "", provisioner("old", ""));
  life.scale(30);  // the interfaces of one m5.large allow 29
  ASSERT_TRUE(life.settle());
  EXPECT_EQ(life.nodes().size(), 2u);
  std::string without_limit = kSettings;
  without_limit.insert(without_limit.rfind('}'), ", aws.enableENILimitedPodDensity: \"false\"");
  life.remove({"", "configmaps"}, "karpenter", "karpenter-global-settings");
  life.create({"", "configmaps"}, "karpenter", without_limit);
  life.run_for(1min);
  life.scale(2 * 29 + 90);
  ASSERT_TRUE(life.settle());
  EXPECT_EQ(life.nodes().size(), 3u);
}

// What v0.27's webhook would refuse launches nothing and names the field.
TEST(EarlierApi, AnInvalidProvisionerLaunchesNothing) {
  Life life(on_provisioner("old"));
  life.create({"", "namespaces"}, "", kNamespace);
  life.create({"", "configmaps"}, "karpenter", kSettings);
  life.create(kTemplates, "", kTemplate);
  life.create(kProvisioners, "", provisioner("old", ", ttlSecondsAfterEmpty: 60, consolidation: {enabled: true}"));
  life.scale(3);
  life.run_for(10min);
  EXPECT_TRUE(life.nodes().empty());
  ASSERT_FALSE(life.failures().empty());
  EXPECT_THAT(life.failures().front().line, HasSubstr("spec.consolidation.enabled, spec.ttlSecondsAfterEmpty"));
}

}  // namespace
}  // namespace tenon::simulation
