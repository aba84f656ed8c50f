// SPDX-License-Identifier: Apache-2.0
#include "cli/demo/world.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/json.h"
#include "json/yaml.h"
#include "log/testing/capture.h"

namespace tenon::cli {
namespace {

TEST(SimWorld, WhatAwsLacksIsAWarningAndNoDecision) {
  const auto captured = std::make_shared<log::testing::Capture>();
  SimWorld::Options options;
  options.log = log::Logger(captured);
  options.aws_fault = [](const std::string& action) {
    return action == "GetProducts" ? "InternalErrorException: down" : "";
  };
  const auto world = SimWorld::make(std::move(options));
  ASSERT_TRUE(world) << world.error().message;
  const auto node_class = json::parse_yaml(R"(
apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: {name: default}
spec:
  role: KarpenterNodeRole-demo
  amiSelectorTerms: [{alias: al2023@latest}]
  subnetSelectorTerms: [{tags: {karpenter.sh/discovery: demo}}]
  securityGroupSelectorTerms: [{tags: {karpenter.sh/discovery: demo}}]
)");
  ASSERT_TRUE((*world)->cluster().api().create({"karpenter.k8s.aws", "ec2nodeclasses"}, "", node_class->front()));
  (*world)->sim().run_for(1h);
  EXPECT_THAT(captured->messages(log::Level::kWarn),
              testing::Contains(testing::StartsWith("the on-demand prices are the built-in ones: ")));
  EXPECT_THAT(captured->messages(log::Level::kInfo), testing::Not(testing::Contains(testing::HasSubstr("prices are"))));
}

}  // namespace
}  // namespace tenon::cli
