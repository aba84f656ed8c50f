// The AWS provider from a NodeClaim to an instance and back, against moto.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <algorithm>

#include "aws/ec2.h"
#include "aws/iam.h"
#include "moto/moto_provider.h"

namespace tenon::peers {
namespace {

using ::testing::Contains;
using ::testing::Pair;
using ::testing::StartsWith;

TEST_F(MotoProvider, FromAClaimToAnInstanceAndBack) {
  const auto provider = make();
  const auto resolved = provider->resolve(some_class(), {}, stop_);
  ASSERT_TRUE(resolved) << resolved.error().message;
  ASSERT_TRUE(resolved->ready()) << conditions(*resolved);
  EXPECT_EQ(resolved->subnets.size(), 3u);
  EXPECT_EQ(resolved->security_groups.size(), 1u);
  EXPECT_EQ(resolved->amis.size(), 2u);
  const auto types = provider->instance_types(*resolved, stop_);
  ASSERT_TRUE(types) << types.error().message;
  EXPECT_GT((*types)->size(), 500u);

  for (const std::string capacity_type : {"on-demand", "spot"}) {
    const auto made = provider->create(some_claim("claim-" + capacity_type, capacity_type), *resolved, {}, stop_);
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ(made->instance_type, "m5.large");
    EXPECT_THAT(made->provider_id, StartsWith("aws:///us-east-1"));
    EXPECT_EQ(made->image_id, environment_value("PEER_IMAGE"));
    const auto got = provider->get(made->provider_id, stop_);
    ASSERT_TRUE(got) << got.error().message;
    EXPECT_EQ(got->capacity_type, capacity_type);
    EXPECT_EQ(got->claim_name, "claim-" + capacity_type);
    EXPECT_EQ(got->pool, "default");
    EXPECT_EQ(got->cluster, "peer");
  }
  const auto all = provider->list(stop_);
  ASSERT_TRUE(all) << all.error().message;
  ASSERT_EQ(all->size(), 2u);
  aws::Ec2 ec2(*client_);
  const aws::Filters of_the_claim = {{"tag:karpenter.sh/nodeclaim", {"claim-spot"}}};
  const auto tagged = ec2.describe_instances({}, of_the_claim, stop_);
  ASSERT_TRUE(tagged) << tagged.error().message;
  ASSERT_EQ(tagged->size(), 1u);
  EXPECT_THAT(tagged->front().tags, Contains(Pair("kubernetes.io/cluster/peer", "owned")));
  EXPECT_THAT(tagged->front().tags, Contains(Pair("team", "a")));

  for (const cloud::Instance& instance : *all) {
    EXPECT_TRUE(provider->remove(instance.provider_id, stop_));
    EXPECT_EQ(provider->remove(instance.provider_id, stop_).error().code, Code::kNotFound);
    EXPECT_EQ(provider->get(instance.provider_id, stop_).error().code, Code::kNotFound);
  }
  EXPECT_TRUE(provider->list(stop_)->empty());

  // Nothing of the node class remains.
  const std::string profile = resolved->resolved_instance_profile;
  EXPECT_TRUE(aws::Iam(*client_).get_instance_profile(profile, stop_));
  ASSERT_TRUE(provider->finalize(*resolved, stop_));
  EXPECT_TRUE(ec2.describe_launch_templates({}, stop_)->empty());
  EXPECT_EQ(aws::Iam(*client_).get_instance_profile(profile, stop_).error().code, Code::kNotFound);
}

TEST_F(MotoProvider, SaysWhatANodeClassLacks) {
  model::NodeClass lacking = some_class();
  lacking.subnet_selector_terms = {{.tags = {{"no", "such"}}}};
  lacking.security_group_selector_terms = {{.id = "sg-0"}};
  lacking.ami_selector_terms = {{.alias = "al2023@latest"}};  // moto has no parameters of EKS
  const auto resolved = make()->resolve(lacking, {}, stop_);
  ASSERT_TRUE(resolved) << resolved.error().message;
  EXPECT_FALSE(resolved->ready());
  const auto reason = [&](std::string_view type) {
    const model::Condition* found = model::find_condition(resolved->conditions, type);
    return found == nullptr ? "none" : found->status + " " + found->reason;
  };
  EXPECT_EQ(reason("SubnetsReady"), "False SubnetsNotFound");
  EXPECT_THAT(reason("SecurityGroupsReady"), StartsWith("False SecurityGroups"));
  EXPECT_EQ(reason("AMIsReady"), "False AMINotFound");
}

}  // namespace
}  // namespace tenon::peers
