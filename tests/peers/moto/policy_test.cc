// deploy/iam/controller-policy.json is sufficient: moto judges every signature and every action, and the user has that
// policy only. The node class has the family Custom, because it needs no call to EKS, for whose paths moto computes
// another signature than AWS.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "aws/ec2.h"
#include "moto/moto_provider.h"

namespace tenon::peers {
namespace {

class MotoPolicy : public MotoProvider {
 protected:
  MotoPolicy()
      : own_(aws::make_static_credentials(
            {environment_value("PEER_CONTROLLER_KEY"), environment_value("PEER_CONTROLLER_SECRET"), ""})),
        as_controller_(client_with(*transport_, *own_)) {
    check_signatures(true);
  }
  std::unique_ptr<aws::CredentialsProvider> own_;
  std::unique_ptr<aws::Client> as_controller_;
};

TEST_F(MotoPolicy, SufficesFromAClassToItsEnd) {
  cloud::AwsProviderOptions options{.cluster_name = "peer"};
  options.kubernetes_version = [](const auto&) { return std::string("1.34"); };
  const auto provider = cloud::make_aws_provider(*as_controller_, options);
  model::NodeClass custom = some_class();
  custom.ami_family = "Custom";
  const auto resolved = provider->resolve(custom, {}, stop_);
  ASSERT_TRUE(resolved) << resolved.error().message;
  ASSERT_TRUE(resolved->ready()) << conditions(*resolved);
  for (const std::string capacity_type : {"on-demand", "spot"}) {
    const auto made = provider->create(some_claim("policy-" + capacity_type, capacity_type), *resolved, {}, stop_);
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_TRUE(provider->get(made->provider_id, stop_));
  }
  const auto all = provider->list(stop_);
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_EQ(all->size(), 2u);
  EXPECT_TRUE(provider->sick_instances(stop_));
  model::NodeClaim named = some_claim("policy-named", "on-demand");
  named.provider_id = all->front().provider_id;
  named.node_name = "ip-10-0-0-1.ec2.internal";
  const auto tagged = provider->name_instance(named, stop_);
  ASSERT_TRUE(tagged) << tagged.error().message;
  EXPECT_TRUE(*tagged);
  EXPECT_FALSE(*provider->name_instance(named, stop_));
  const auto strays = provider->remove_stray_profiles({resolved->resolved_instance_profile}, stop_);
  EXPECT_TRUE(strays) << strays.error().message;
  for (const cloud::Instance& instance : *all) EXPECT_TRUE(provider->remove(instance.provider_id, stop_));
  const auto ended = provider->finalize(*resolved, stop_);
  EXPECT_TRUE(ended) << ended.error().message;
}

TEST_F(MotoPolicy, AllowsNothingElse) {
  aws::Ec2 ec2(*as_controller_);
  EXPECT_EQ(ec2.describe_availability_zones(stop_).error().code, Code::kForbidden);
  EXPECT_TRUE(ec2.describe_instance_type_offerings(stop_));
}

}  // namespace
}  // namespace tenon::peers
