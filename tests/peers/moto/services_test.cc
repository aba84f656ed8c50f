// The AWS client against moto, call by call, with signatures judged by moto (which uses botocore).
//
// Behaviour that moto 5.2 lacks and that is therefore not tested here: pages of other calls than DescribeInstances (it
// answers whole lists); parameters below /aws/service/eks (not in its data, and writing there is denied); Pricing (not
// implemented); ClientToken (every CreateFleet launches again); the choice of an offering by price,
// InsufficientInstanceCapacity and other errors of a fleet (it takes the first override, whatever it is); PathPrefix of
// ListInstanceProfiles (it lists all). The embedded AWS, which tests/peers/botocore compares with AWS's own models, has
// all of it.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "aws/ec2.h"
#include "aws/eks.h"
#include "aws/iam.h"
#include "aws/pricing.h"
#include "aws/ssm.h"
#include "aws/sts.h"
#include "base/testing/temp_folder.h"
#include "catalog/catalog.h"
#include "moto/moto_account.h"

namespace tenon::peers {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class Moto : public MotoTest {
 protected:
  aws::Ec2 ec2_{*client_};
  aws::Iam iam_{*client_};
  aws::Ssm ssm_{*client_};
  const aws::Filters discovery_ = {{"tag:karpenter.sh/discovery", {"peer"}}};
};

TEST_F(Moto, TakesOurSignatureAndNoOther) {
  EXPECT_THAT(aws::Sts(*client_).get_caller_identity(stop_)->arn, HasSubstr(":user/tenon"));
  for (const auto& [id, secret] : {std::pair<std::string, std::string>{environment_value("AWS_ACCESS_KEY_ID"), "wrong"},
                                   {"AKIANOSUCHKEY", environment_value("AWS_SECRET_ACCESS_KEY")}}) {
    const auto wrong = aws::make_static_credentials({id, secret, ""});
    const auto other = client_with(*transport_, *wrong);
    EXPECT_EQ(aws::Ec2(*other).describe_availability_zones(stop_).error().code, Code::kForbidden) << id;
    EXPECT_EQ(aws::Ssm(*other).get_parameter("/peer/image", stop_).error().code, Code::kForbidden) << id;
    EXPECT_EQ(aws::Iam(*other).get_instance_profile("p", stop_).error().code, Code::kForbidden) << id;
    EXPECT_EQ(aws::Sts(*other).get_caller_identity(stop_).error().code, Code::kForbidden) << id;
  }
}

TEST_F(Moto, AWebIdentityBecomesARole) {
  const TempFolder files;
  const std::string token_file = files.write("token", "a.web.token");
  const aws::Environment environment = [&](const std::string& name) -> std::string {
    if (name == "AWS_ROLE_ARN") return environment_value("PEER_ROLE_ARN");
    if (name == "AWS_WEB_IDENTITY_TOKEN_FILE") return token_file;
    return name == "AWS_ENDPOINT_URL" ? environment_value(name) : "";
  };
  check_signatures(false);  // moto requires a signature for this call, too
  const auto role =
      aws::make_default_credentials({*transport_, *transport_, *runtime_, environment, client_->region()});
  ASSERT_TRUE(role) << role.error().message;
  const auto issued = (*role)->get(stop_);
  ASSERT_TRUE(issued) << issued.error().message;
  EXPECT_NE(issued->session_token, "");
  EXPECT_GT(issued->expires, runtime_->now());
  check_signatures(true);
  const auto as_role = client_with(*transport_, **role);
  const auto identity = aws::Sts(*as_role).get_caller_identity(stop_);
  ASSERT_TRUE(identity) << identity.error().message;
  EXPECT_THAT(identity->arn, HasSubstr("assumed-role/KarpenterControllerRole-peer"));
}

// moto's list comes from AWS itself: our catalog must have the same facts about the same types.
TEST_F(Moto, InstanceTypesAreWhatOurCatalogSays) {
  const auto types = ec2_.describe_instance_types(stop_);
  ASSERT_TRUE(types) << types.error().message;
  EXPECT_GT(types->size(), 800u);
  int compared = 0;
  for (const aws::InstanceTypeInfo& type : *types) {
    const catalog::InstanceFacts* facts = catalog::find_instance_type(type.name);
    if (facts == nullptr) continue;
    ++compared;
    EXPECT_EQ(type.vcpus, facts->vcpus) << type.name;
    EXPECT_EQ(type.memory_mib, facts->memory_mib) << type.name;
    EXPECT_EQ(type.bare_metal, facts->bare_metal) << type.name;
    if (type.network_cards == facts->network_cards) {  // AWS has added a second card to some large types since
      EXPECT_EQ(type.default_card_enis, facts->default_card_enis) << type.name;
    }
    EXPECT_EQ(type.ipv4_per_eni, facts->ipv4_per_eni) << type.name;
    const std::string arch = facts->arch == "amd64" ? "x86_64" : facts->arch;
    EXPECT_EQ(std::count(type.architectures.begin(), type.architectures.end(), arch), 1) << type.name;
  }
  EXPECT_GT(compared, 500);
}

TEST_F(Moto, OfferingsZonesAndSpotPrices) {
  const auto offerings = ec2_.describe_instance_type_offerings(stop_);
  ASSERT_TRUE(offerings) << offerings.error().message;
  std::set<std::string> zones;
  for (const auto& offering : *offerings) {
    if (offering.instance_type == "m5.large") zones.insert(offering.zone);
  }
  EXPECT_GE(zones.size(), 3u);
  const auto described = ec2_.describe_availability_zones(stop_);
  ASSERT_TRUE(described) << described.error().message;
  for (const auto& zone : *described) {
    EXPECT_THAT(zone.id, StartsWith("use1-az"));
    EXPECT_EQ(zone.state, "available");
    zones.erase(zone.name);
  }
  EXPECT_TRUE(zones.empty());
  const auto prices = ec2_.describe_spot_price_history(runtime_->now(), stop_);
  ASSERT_TRUE(prices) << prices.error().message;
  EXPECT_GT(prices->size(), 1000u);
  EXPECT_EQ(prices->front().usd, "0.00001");
}

TEST_F(Moto, SubnetsGroupsAndImagesByTag) {
  const auto subnets = ec2_.describe_subnets(discovery_, stop_);
  ASSERT_TRUE(subnets) << subnets.error().message;
  ASSERT_EQ(subnets->size(), 3u);
  EXPECT_EQ(subnets->front().vpc_id, environment_value("PEER_VPC"));
  EXPECT_GT(subnets->front().free_ips, 8000);
  EXPECT_THAT(subnets->front().zone_id, StartsWith("use1-az"));
  EXPECT_EQ(ec2_.describe_subnets({{"subnet-id", {environment_value("PEER_SUBNET")}}}, stop_)->size(), 1u);
  EXPECT_EQ(ec2_.describe_subnets({{"tag:karpenter.sh/discovery", {"another"}}}, stop_)->size(), 0u);
  const auto groups = ec2_.describe_security_groups(discovery_, stop_);
  ASSERT_TRUE(groups) << groups.error().message;
  ASSERT_EQ(groups->size(), 1u);
  EXPECT_EQ(groups->front().name, "nodes");
  const auto images = ec2_.describe_images(discovery_, {}, stop_);
  ASSERT_TRUE(images) << images.error().message;
  ASSERT_EQ(images->size(), 2u);
  std::set<std::string> architectures;
  for (const auto& image : *images) {
    architectures.insert(image.architecture);
    EXPECT_EQ(image.state, "available");
    EXPECT_LT(image.created_at, runtime_->now());
    EXPECT_NE(image.created_at, Instant{});
  }
  EXPECT_THAT(architectures, ::testing::ElementsAre("arm64", "x86_64"));
}

TEST_F(Moto, ParametersAndInstanceProfiles) {
  EXPECT_EQ(*ssm_.get_parameter("/peer/image", stop_), environment_value("PEER_IMAGE"));
  EXPECT_EQ(ssm_.get_parameter("/nope", stop_).error().code, Code::kNotFound);
  const auto made = iam_.create_instance_profile({"p", "/karpenter/peer/", {{"team", "a"}}}, stop_);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(iam_.create_instance_profile({"p", "/", {}}, stop_).error().code, Code::kAlreadyExists);
  ASSERT_TRUE(iam_.add_role("p", "KarpenterNodeRole-peer", stop_));
  const auto profile = iam_.get_instance_profile("p", stop_);
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->roles, std::vector<std::string>{"KarpenterNodeRole-peer"});
  EXPECT_EQ(profile->path, "/karpenter/peer/");
  const auto listed = iam_.list_instance_profiles("/karpenter/peer/", stop_);
  ASSERT_TRUE(listed) << listed.error().message;
  EXPECT_EQ(std::count_if(listed->begin(), listed->end(), [](const auto& each) { return each.name == "p"; }), 1);
  EXPECT_TRUE(iam_.remove_role("p", "KarpenterNodeRole-peer", stop_));
  EXPECT_TRUE(iam_.delete_instance_profile("p", stop_));
  EXPECT_EQ(iam_.get_instance_profile("p", stop_).error().code, Code::kNotFound);
  EXPECT_EQ(iam_.add_role("p", "KarpenterNodeRole-peer", stop_).error().code, Code::kNotFound);
}

TEST_F(Moto, PoliciesOfARole) {
  const auto inlined = iam_.role_policies("KarpenterControllerRole-peer", stop_);
  ASSERT_TRUE(inlined) << inlined.error().message;
  EXPECT_THAT(inlined->documents, ElementsAre(HasSubstr(R"("Action": "*")")));
  EXPECT_FALSE(inlined->bounded);
  const auto attached = iam_.role_policies("KarpenterNodeRole-peer", stop_);
  ASSERT_TRUE(attached) << attached.error().message;
  EXPECT_THAT(attached->documents, ElementsAre(HasSubstr("eks:DescribeCluster")));
  EXPECT_EQ(iam_.role_policies("nobody", stop_).error().code, Code::kNotFound);
}

TEST_F(Moto, TheClusterIsDescribed) {
  check_signatures(false);  // moto computes another signature for REST paths than AWS does
  aws::Eks eks(*client_);
  const auto cluster = eks.describe_cluster("peer", stop_);
  ASSERT_TRUE(cluster) << cluster.error().message;
  EXPECT_EQ(cluster->version, "1.34");
  EXPECT_THAT(cluster->endpoint, StartsWith("https://"));
  EXPECT_EQ(cluster->service_cidr, "172.20.0.0/16");
  EXPECT_NE(cluster->ca_base64, "");
  EXPECT_EQ(eks.describe_cluster("nope", stop_).error().code, Code::kNotFound);
}

}  // namespace
}  // namespace tenon::peers
