// The parts of a node class's status that remain when AWS denies a call, and the instance types that need no call.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aws_world.h"
#include "cloud/aws_provider/launch/launch_templates.h"
#include "log/testing/capture.h"

namespace tenon::cloud {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::some_claim;
using testing::some_class;
using testing::World;

// Nodes whose image is not in the status drift. Only an answer without the image may remove it from the status.
TEST(NodeClassStatus, KeepsItsImagesWhateverAwsRefuses) {
  for (const char* action : {"DescribeImages", "GetParameter"}) {
    for (const char* code : {"InvalidParameterValue", "SomethingNew", "RequestLimitExceeded", "InternalError",
                             "UnauthorizedOperation", "MalformedQueryString"}) {
      World world;
      model::NodeClass known = world.ready_class(some_class());
      ASSERT_EQ(known.amis.size(), 5u);
      world.restart();  // nothing is cached
      world.faults = {{action, code}};
      known.meta.labels["edited"] = "true";
      const auto resolved = world.provider->resolve(known, {}, {});
      EXPECT_TRUE(!resolved || resolved->amis == known.amis) << action << " " << code;
      world.faults.clear();
      EXPECT_EQ(world.ready_class(known).amis, known.amis);
    }
  }
}

TEST(NodeClassStatus, StandsWhenTemplatesCannotBeSwept) {
  World world;
  std::vector<std::string> warnings;
  AwsProviderOptions options{.cluster_name = "demo", .disable_dry_run = true};
  options.log = log::testing::messages_to(warnings);
  world.restart(options);
  world.ready_class(some_class());
  world.runtime.advance(kTemplateIdle);
  world.faults = {{"DescribeLaunchTemplates", "RequestLimitExceeded"}};
  const auto resolved = world.provider->resolve(some_class(), {}, {});
  ASSERT_TRUE(resolved) << resolved.error().message;
  EXPECT_TRUE(resolved->ready());
  EXPECT_THAT(warnings, Contains(HasSubstr("its unused launch templates are not removed")));
  const auto sweeps = [&] {
    const int before = world.fake->calls("DescribeLaunchTemplates");
    world.ready_class(some_class());
    return world.fake->calls("DescribeLaunchTemplates") - before;
  };
  world.faults.clear();
  EXPECT_EQ(sweeps(), 0) << "not at once again";
  world.runtime.advance(kSweepRetry);
  EXPECT_EQ(sweeps(), 1);
}

// AWS may answer a refresh slowly: only the catalog's own thread waits for it, never a decision or a launch.
TEST(Market, OnlyInstanceTypesRefreshesTypesAndPrices) {
  World world;
  const model::NodeClass node_class = world.ready_class(some_class());
  world.restart();
  world.sent.clear();
  EXPECT_EQ(world.provider->known_types(node_class).error().code, Code::kUnavailable);
  EXPECT_TRUE(world.sent.empty()) << world.sent.front();
  world.faults = {{"DescribeInstanceTypes", "InternalError"}};
  EXPECT_FALSE(world.provider->instance_types(node_class, {}));
  EXPECT_EQ(world.provider->known_types(node_class).error().code, Code::kUnavailable);
  world.faults.clear();
  ASSERT_TRUE(world.provider->instance_types(node_class, {}));
  // A day later they are old.
  world.runtime.advance(24h);
  world.sent.clear();
  ASSERT_TRUE(world.provider->known_types(node_class));
  EXPECT_TRUE(world.sent.empty()) << world.sent.front();
  const auto made = world.provider->create(some_claim("default-1", {"m5.large"}, "on-demand"), node_class, {}, {});
  ASSERT_TRUE(made) << made.error().message;
  ASSERT_TRUE(world.provider->resolve(node_class, {}, {}));
  const char* const refreshes[] = {"GetProducts", "Action=DescribeSpotPriceHistory", "Action=DescribeInstanceTypes"};
  for (const char* call : refreshes) EXPECT_THAT(world.sent, Not(Contains(HasSubstr(call))));
  ASSERT_TRUE(world.provider->instance_types(node_class, {}));
  for (const char* call : refreshes) EXPECT_THAT(world.sent, Contains(HasSubstr(call)));
  const size_t asked = world.sent.size();
  ASSERT_TRUE(world.provider->instance_types(node_class, {}));
  EXPECT_EQ(world.sent.size(), asked) << "nothing is due";
}

}  // namespace
}  // namespace tenon::cloud
