// Classes of v0.27 in the AWS provider: Ubuntu, launch templates of the user, inline providers.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aws/ec2.h"
#include "aws_world.h"
#include "cloud/aws_provider/launch/launch_templates.h"
#include "json/yaml.h"
#include "kube/codec/codec.h"

namespace tenon::cloud {
namespace {

using ::testing::HasSubstr;
using testing::some_claim;
using testing::some_class;
using testing::World;

std::string condition(const model::NodeClass& node_class, std::string_view type) {
  const model::Condition* found = model::find_condition(node_class.conditions, type);
  return found ? found->status + " " + found->reason + ": " + found->message : "none";
}

void restart_with(World& world, const std::string& kubernetes) {
  world.restart({.cluster_name = "demo", .kubernetes_version = [kubernetes](const auto&) { return kubernetes; }});
}

model::NodeClass ubuntu() {
  const auto decoded = kube::codec::decode_node_class(json::parse_yaml(R"(
apiVersion: karpenter.k8s.aws/v1beta1
kind: EC2NodeClass
metadata: {name: default, uid: 0aa0-nodeclass, generation: 1}
spec:
  amiFamily: Ubuntu
  role: KarpenterNodeRole-demo
  subnetSelectorTerms: [{tags: {karpenter.sh/discovery: demo}}]
  securityGroupSelectorTerms: [{tags: {karpenter.sh/discovery: demo}}]
)")
                                                          ->front());
  EXPECT_TRUE(decoded) << decoded.error().message;
  return *decoded;
}

TEST(Ubuntu, BootsTheImagesThatCanonicalPublishes) {
  World world;
  restart_with(world, "1.29");
  const model::NodeClass node_class = world.ready_class(ubuntu());
  ASSERT_TRUE(node_class.ready()) << condition(node_class, "AMIsReady");
  ASSERT_EQ(node_class.amis.size(), 2u);
  for (const auto& [type, image] :
       {std::pair("m5.large", "ami-02004000000002986"), std::pair("m6g.large", "ami-02004000000002964"),
        std::pair("g4dn.xlarge", "ami-02004000000002986")}) {
    const auto made = world.provider->create(some_claim(type, {type}, "on-demand"), node_class, {}, {});
    ASSERT_TRUE(made) << type << ": " << made.error().message;
    EXPECT_EQ(world.instance(made->provider_id).image_id, image);
    EXPECT_THAT(world.instance(made->provider_id).user_data, HasSubstr("/etc/eks/bootstrap.sh 'demo'"));
  }
}

TEST(Ubuntu, NamesTheParameterThatIsMissing) {
  World world;
  restart_with(world, "1.34");
  const model::NodeClass node_class = world.ready_class(ubuntu());
  EXPECT_FALSE(node_class.ready());
  EXPECT_THAT(condition(node_class, "AMIsReady"),
              HasSubstr("/aws/service/canonical/ubuntu/eks/20.04/1.34/stable/current/amd64/hvm/ebs-gp2/ami-id"));
}

model::NodeClass with_template() {
  model::NodeClass out = some_class();
  out.meta.name = "awsnodetemplate/default";
  out.role.clear();
  out.ami_selector_terms.clear();
  out.security_group_selector_terms.clear();
  out.ami_family = "AL2";
  out.launch_template = "mine";
  return out;
}

void make_mine(World& world) {
  aws::LaunchTemplateInput mine;
  mine.name = "mine";
  mine.image_id = "ami-02004000000002986";
  // The tags that select templates to delete: the name alone protects it.
  mine.tags = {{"eks:eks-cluster-name", "demo"}, {"karpenter.k8s.aws/ec2nodeclass", "awsnodetemplate/default"}};
  ASSERT_TRUE(aws::Ec2(*world.client).create_launch_template(mine, {}));
}

TEST(UserLaunchTemplate, IsLookedForAgain) {
  World world;
  model::NodeClass node_class = world.ready_class(with_template());
  EXPECT_FALSE(node_class.ready());
  EXPECT_THAT(condition(node_class, "ValidationSucceeded"),
              HasSubstr("False LaunchTemplateNotFound: launchTemplate: EC2 has no launch template \"mine\""));
  make_mine(world);
  node_class = world.ready_class(node_class);
  EXPECT_TRUE(node_class.ready()) << condition(node_class, "Ready");
  world.faults = {{"DescribeLaunchTemplates", "RequestLimitExceeded"}};
  EXPECT_FALSE(world.provider->resolve(node_class, {}, {}));  // a throttled call says nothing about the template
}

TEST(UserLaunchTemplate, IsNeitherCreatedNorDeleted) {
  World world;
  make_mine(world);
  const model::NodeClass node_class = world.ready_class(with_template());
  const int created = world.fake->calls("CreateLaunchTemplate");
  const auto made = world.provider->create(some_claim("default-1", {"m5.large"}, "on-demand"), node_class, {}, {});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(world.fake->calls("CreateLaunchTemplate"), created);
  world.runtime.advance(2 * kTemplateIdle);
  ASSERT_TRUE(world.provider->resolve(node_class, {}, {}));
  world.runtime.advance(2 * kTemplateIdle);
  ASSERT_TRUE(world.provider->resolve(node_class, {}, {}));
  ASSERT_TRUE(world.provider->finalize(node_class, {}));
  EXPECT_TRUE(aws::Ec2(*world.client).find_launch_template("mine", {}));
}

// Only the user can create it again: the launch is not repeated.
TEST(UserLaunchTemplate, ThatIsGoneFailsTheLaunchOnce) {
  World world;
  make_mine(world);
  const model::NodeClass node_class = world.ready_class(with_template());
  aws::Ec2 ec2(*world.client);
  ASSERT_TRUE(ec2.delete_launch_template(ec2.find_launch_template("mine", {})->id, {}));
  const int before = world.fake->calls("CreateFleet");
  const auto made = world.provider->create(some_claim("default-1", {"m5.large"}, "on-demand"), node_class, {}, {});
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().message, HasSubstr("mine"));
  EXPECT_EQ(world.fake->calls("CreateFleet"), before + 1);
}

// v0.27 had drift of images only, and none for these two.
TEST(EarlierClasses, HaveNoDriftOfImages) {
  for (const bool inlined : {false, true}) {
    World world;
    make_mine(world);
    model::NodeClass spec = inlined ? some_class() : with_template();
    if (inlined) spec.meta.name = "provisioner/default";
    const model::NodeClass node_class = world.ready_class(spec);
    model::NodeClaim claim = some_claim("default-1", {"m5.large"}, "on-demand");
    const auto made = world.provider->create(claim, node_class, {}, {});
    ASSERT_TRUE(made) << made.error().message;
    claim.provider_id = made->provider_id;
    claim.meta.annotations = made->annotations;
    model::NodeClass other = node_class;
    other.amis.clear();
    EXPECT_EQ(*world.provider->drifted(claim, other, {}), "");
    other.security_groups.push_back({"sg-new", ""});
    EXPECT_EQ(*world.provider->drifted(claim, other, {}), inlined ? "SecurityGroupDrift" : "");
    other = node_class;
    other.launch_template = "another";
    EXPECT_EQ(*world.provider->drifted(claim, other, {}), "NodeClassDrift");
  }
}

// Neither setting makes a new generation of the template: what is cached must not be used any more.
TEST(EarlierClasses, FollowTheSettingsOfPods) {
  World world;
  model::NodeClass node_class = world.ready_class(some_class());
  const auto capacity = [&](std::string_view resource) {
    const auto types = world.provider->instance_types(node_class, {});
    for (const model::InstanceType& type : **types) {
      if (type.name == "m5.large") return type.capacity.get(resource);
    }
    return int64_t{-1};
  };
  EXPECT_EQ(capacity("pods"), 29);
  EXPECT_EQ(capacity("vpc.amazonaws.com/pod-eni"), 9);
  node_class.pod_eni = node_class.eni_limited_pods = false;
  EXPECT_EQ(capacity("pods"), 110);
  EXPECT_EQ(capacity("vpc.amazonaws.com/pod-eni"), 0);
}

}  // namespace
}  // namespace tenon::cloud
