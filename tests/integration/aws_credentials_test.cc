// Chains of roles at the wire: each hop is signed with the keys of the previous one.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "aws/client.h"
#include "aws/sts.h"
#include "aws/testing/canned.h"
#include "awssim/fake_aws.h"
#include "base/testing/temp_folder.h"
#include "http/loopback_transport.h"

namespace tenon::cloud {
namespace {

using ::testing::HasSubstr;

struct World {
  TempFolder home;
  aws::testing::ManualRuntime runtime;
  std::unique_ptr<awssim::FakeAws> fake = awssim::make_fake_aws(runtime, {});
  std::unique_ptr<http::Transport> transport = http::make_loopback_transport({{"aws.test", fake.get()}});
  std::map<std::string, std::string> variables{{"HOME", home.path()},
                                               {"AWS_ENDPOINT_URL", "http://aws.test"},
                                               {"AWS_CONFIG_FILE", home.file("config")},
                                               {"AWS_PROFILE", "dev"}};
  std::unique_ptr<aws::CredentialsProvider> credentials;

  Result<std::string> who() {
    const aws::Environment environment = [this](const std::string& name) {
      const auto it = variables.find(name);
      return it == variables.end() ? std::string() : it->second;
    };
    if (!credentials) {
      credentials = TRY(aws::make_default_credentials({*transport, *transport, runtime, environment, "us-east-1"}));
    }
    aws::Client client({*transport, runtime, *credentials},
                       {.region = "us-east-1", .environment = environment, .observer = {}});
    const aws::CallerIdentity identity = TRY(aws::Sts(client).get_caller_identity({}));
    return identity.arn;
  }
};

constexpr const char* kBase =
    "[profile base]\naws_access_key_id = AKIDEXAMPLE\n"
    "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY\n";

TEST(AwsCredentials, AChainOfRolesIsWalkedAndRefreshed) {
  World world;
  world.home.write("config", std::string(kBase) +
                                 "[profile dev]\nrole_arn = arn:aws:iam::123456789012:role/KarpenterNodeRole-demo\n"
                                 "source_profile = hop\nrole_session_name = last\n"
                                 "[profile hop]\nrole_arn = arn:aws:iam::123456789012:role/KarpenterNodeRole-demo\n"
                                 "source_profile = base\nrole_session_name = first\n");
  const auto who = world.who();
  ASSERT_TRUE(who) << who.error().message;
  EXPECT_EQ(*who, "arn:aws:sts::123456789012:assumed-role/KarpenterNodeRole-demo/last");
  EXPECT_EQ(world.fake->calls("AssumeRole"), 2);
  world.runtime.advance(54min);
  EXPECT_TRUE(world.who());
  EXPECT_EQ(world.fake->calls("AssumeRole"), 2);
  world.runtime.advance(2min);
  EXPECT_TRUE(world.who());
  EXPECT_EQ(world.fake->calls("AssumeRole"), 4) << "five minutes before their end";
}

TEST(AwsCredentials, ARoleThatMayNotBeAssumedIsNamedAndTheBaseKeysAreNotUsed) {
  World world;
  world.home.write("config", std::string(kBase) +
                                 "[profile dev]\nrole_arn = arn:aws:iam::123456789012:role/other\n"
                                 "source_profile = base\n"
                                 "aws_access_key_id = AKIDEXAMPLE\n"
                                 "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY\n");
  const auto who = world.who();
  ASSERT_FALSE(who);
  EXPECT_EQ(who.error().code, Code::kForbidden);
  EXPECT_THAT(who.error().message,
              HasSubstr("AWS profile dev: arn:aws:iam::123456789012:role/other: sts AssumeRole: AccessDenied: "));
  EXPECT_EQ(who.error().message.find("wJalr"), std::string::npos);
  EXPECT_EQ(world.fake->calls("GetCallerIdentity"), 0);
}

}  // namespace
}  // namespace tenon::cloud
