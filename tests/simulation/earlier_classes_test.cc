// The node classes that only v0.27 had, in the live controllers: inline providers of Provisioners, and launch templates
// of the user.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "awssim/testing/caller.h"
#include "base/text.h"
#include "json/json.h"
#include "simulation/life.h"

namespace tenon::simulation {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

const kubesim::Resource kProvisioners{"karpenter.sh", "provisioners"}, kClaims{"karpenter.sh", "nodeclaims"};
const kubesim::Resource kTemplates{"karpenter.k8s.aws", "awsnodetemplates"}, kNodes{"", "nodes"};

constexpr const char* kProvider =
    "provider: {subnetSelector: {karpenter.sh/discovery: demo}, securityGroupSelector: {karpenter.sh/discovery: demo}, "
    "instanceProfile: KarpenterNodeInstanceProfile-demo, tags: {team: a}}";

std::string provisioner(const std::string& more) {
  return "{apiVersion: karpenter.sh/v1alpha5, kind: Provisioner, metadata: {name: old}, spec: {" + more +
         ", requirements: [{key: node.kubernetes.io/instance-type, operator: In, values: [m5.large, m5.xlarge]}]}}";
}

LifeOptions on_provisioner() {
  LifeOptions options;
  options.types = {"c5.large"};
  options.pod_millicores = 700;
  options.pod_mib = 128;
  options.pod_rules = "nodeSelector: {karpenter.sh/provisioner-name: old}";
  return options;
}

std::vector<std::string> launch_templates(Life& life) {
  awssim::testing::Caller caller(life.cluster().fake_aws(), life.sim());
  return caller.ec2("DescribeLaunchTemplates").all("//launchTemplateName");
}

std::vector<json::value> all(Life& life, const kubesim::Resource& resource) {
  std::vector<json::value> out;
  const auto listed = life.api().list(resource, "");
  for (const auto& object : listed->items) out.push_back(*object);
  return out;
}

// The status of the class is kept beside that of the Provisioner; the nodes have the labels and annotations of v0.27.
TEST(InlineProvider, LaunchesNodesOfItsTime) {
  Life life(on_provisioner());
  life.create(kProvisioners, "", provisioner(kProvider));
  life.scale(2);
  ASSERT_TRUE(life.settle());
  EXPECT_EQ(life.running_pods(), 2);
  ASSERT_EQ(life.nodes().size(), 1u);
  EXPECT_EQ(life.condition(kProvisioners, "", "old", "Ready"), "True Ready");
  const json::value object = **life.api().get(kProvisioners, "", "old");
  EXPECT_EQ(json::array_at(object, {"status", "provider", "subnets"}).size(), 4u);
  EXPECT_EQ(json::string_at(object, {"status", "provider", "instanceProfile"}), "KarpenterNodeInstanceProfile-demo");
  EXPECT_EQ(json::find(object, {"metadata", "finalizers"}), nullptr);

  const auto claims = all(life, kClaims);
  ASSERT_EQ(claims.size(), 1u);
  EXPECT_EQ(json::string_at(claims[0], {"spec", "nodeClassRef", "kind"}), "Provisioner");
  for (const json::value& node : all(life, kNodes)) {
    EXPECT_EQ(json::string_at(node, {"metadata", "labels", "karpenter.sh/provisioner-name"}), "old");
    for (const auto& [label, text] : json::object_at(node, {"metadata", "labels"}))
      EXPECT_THAT(std::string(label), Not(StartsWith("karpenter.k8s.aws/aws")));
    EXPECT_THAT(std::string(json::string_at(node, {"metadata", "annotations", "compatibility.karpenter.sh/provider"})),
                HasSubstr("KarpenterNodeInstanceProfile-demo"));
  }
  EXPECT_EQ(life.instances().front().tags.at("team"), "a");
}

TEST(InlineProvider, IsConsolidatedAndSurvivesARestart) {
  Life life(on_provisioner());
  life.create(kProvisioners, "", provisioner(std::string(kProvider) + ", consolidation: {enabled: true}"));
  life.scale(5);
  ASSERT_TRUE(life.settle());
  EXPECT_EQ(life.running_pods(), 5);
  life.crash();
  life.restart();
  life.scale(1);
  ASSERT_TRUE(life.settle());
  ASSERT_EQ(life.nodes().size(), 1u);
  EXPECT_EQ(life.nodes().front().type, "m5.large");
  EXPECT_EQ(life.running_pods(), 1);
  EXPECT_EQ(life.unclaimed_instances(), 0);
}

// The Provisioner has no finalizer: the API server deletes its NodeClaims after it, and the launch templates go last.
TEST(InlineProvider, GoesWithItsNodesAndTemplates) {
  Life life(on_provisioner());
  const std::vector<std::string> others = launch_templates(life);
  life.create(kProvisioners, "", provisioner(kProvider));
  life.scale(2);
  ASSERT_TRUE(life.settle());
  EXPECT_GT(launch_templates(life).size(), others.size());
  life.remove(kProvisioners, "", "old");
  ASSERT_TRUE(life.settle());
  EXPECT_THAT(life.nodes(), IsEmpty());
  EXPECT_EQ(life.live_instances(), 0);
  EXPECT_EQ(launch_templates(life), others);
}

// What AWS does not have is said where the user of a Provisioner looks.
TEST(InlineProvider, SaysWhatItLacks) {
  Life life(on_provisioner());
  life.create(kProvisioners, "",
              provisioner("provider: {subnetSelector: {team: none}, securityGroupSelector: {a: b}, "
                          "instanceProfile: KarpenterNodeInstanceProfile-demo}"));
  life.scale(2);
  life.run_for(5min);
  EXPECT_THAT(life.nodes(), IsEmpty());
  EXPECT_THAT(life.condition(kProvisioners, "", "old", "NodeClassReady"), HasSubstr("SubnetsReady=False"));
  std::vector<std::string> events;
  for (const json::value& event : all(life, {"", "events"})) {
    if (json::string_at(event, {"involvedObject", "kind"}) == "Provisioner")
      events.emplace_back(json::string_at(event, {"reason"}));
  }
  EXPECT_THAT(events, Contains("SubnetsNotFound"));
}

TEST(InlineProvider, IsRefusedBesideAProviderRef) {
  Life life(on_provisioner());
  life.create(kProvisioners, "", provisioner(std::string(kProvider) + ", providerRef: {name: default}"));
  life.scale(2);
  life.run_for(5min);
  EXPECT_THAT(life.nodes(), IsEmpty());
  ASSERT_FALSE(life.failures().empty());
  EXPECT_THAT(life.failures().front().line,
              HasSubstr("expected exactly one, got both: spec.provider, spec.providerRef"));
}

constexpr const char* kTemplate = R"(
apiVersion: karpenter.k8s.aws/v1alpha1
kind: AWSNodeTemplate
metadata: {name: default}
spec: {subnetSelector: {karpenter.sh/discovery: demo}, launchTemplate: mine}
)";

void make_launch_template(Life& life) {
  awssim::testing::Caller caller(life.cluster().fake_aws(), life.sim());
  const std::string images = "amazon-eks-node-al2023-x86_64-standard-1.34-v20260818";
  const std::string image =
      caller.ec2("DescribeImages", awssim::testing::filter(1, "name", {images})).first("//imageId");
  const awssim::testing::Answer made =
      caller.ec2("CreateLaunchTemplate",
                 {{"LaunchTemplateName", "mine"},
                  {"LaunchTemplateData.ImageId", image},
                  {"LaunchTemplateData.UserData", base64_encode("#!/bin/bash\n/etc/eks/bootstrap.sh demo\n")}});
  EXPECT_EQ(made.status, 200) << made.body;
}

// The template is missing at first, which is reported and resolved without an edit. It is used as it is, and stays.
TEST(UserLaunchTemplate, IsAwaitedUsedAndKept) {
  Life life(on_provisioner());
  const std::vector<std::string> others = launch_templates(life);
  life.create(kTemplates, "", kTemplate);
  life.create(kProvisioners, "", provisioner("providerRef: {name: default}"));
  life.scale(2);
  life.run_for(5min);
  EXPECT_THAT(life.nodes(), IsEmpty());
  EXPECT_THAT(life.condition(kTemplates, "", "default", "ValidationSucceeded"),
              HasSubstr("LaunchTemplateNotFound: launchTemplate: EC2 has no launch template \"mine\""));
  make_launch_template(life);
  ASSERT_TRUE(life.run_until_running(2));
  ASSERT_TRUE(life.settle());
  ASSERT_EQ(life.nodes().size(), 1u);
  EXPECT_THAT(life.instances().front().user_data, HasSubstr("/etc/eks/bootstrap.sh demo"));
  EXPECT_EQ(json::string_at(all(life, kNodes).front(), {"metadata", "labels", "karpenter.sh/provisioner-name"}), "old");
  std::vector<std::string> with_mine = others;
  with_mine.emplace_back("mine");
  EXPECT_THAT(launch_templates(life), ::testing::UnorderedElementsAreArray(with_mine));
  life.remove(kProvisioners, "", "old");
  life.remove(kTemplates, "", "default");
  ASSERT_TRUE(life.settle());
  EXPECT_EQ(life.live_instances(), 0);
  EXPECT_FALSE(life.api().get(kTemplates, "", "default").has_value());
  EXPECT_THAT(launch_templates(life), ::testing::UnorderedElementsAreArray(with_mine));
}

}  // namespace
}  // namespace tenon::simulation
