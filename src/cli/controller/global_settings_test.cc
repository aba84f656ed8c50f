// SPDX-License-Identifier: Apache-2.0
#include "cli/controller/global_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/json.h"
#include "json/yaml.h"

namespace tenon::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

json::value config_map(const std::string& data) {
  return json::parse_yaml("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {" + data + "}}")->front();
}

TEST(GlobalSettings, FillTheOptionsThatHaveTheirDefault) {
  ControllerOptions options;
  options.interruption_queue = "given";
  const auto done = apply_global_settings(
      config_map(R"(aws.clusterName: demo, aws.clusterEndpoint: "https://a", aws.interruptionQueueName: other,
                    aws.isolatedVPC: "true", aws.vmMemoryOverheadPercent: "0.05", batchIdleDuration: 2s,
                    batchMaxDuration: 20s, aws.enablePodENI: "true", aws.enableENILimitedPodDensity: "true",
                    aws.nodeNameConvention: resource-name)"),
      options);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(options.cluster_name, "demo");
  EXPECT_EQ(options.cluster_endpoint, "https://a");
  EXPECT_EQ(options.interruption_queue, "given");
  EXPECT_TRUE(options.isolated_vpc);
  EXPECT_EQ(options.vm_memory_overhead_percent, 0.05);
  EXPECT_EQ(options.batch_idle, Duration(2s));
  EXPECT_EQ(options.batch_max, Duration(20s));
  EXPECT_THAT(*done, ElementsAre("aws.enablePodENI", "aws.nodeNameConvention"));
}

TEST(GlobalSettings, AreRefusedByKey) {
  const std::pair<const char*, const char*> cases[] = {
      {"batchMaxDuration: \"\"", "batchMaxDuration is required"},
      {"batchMaxDuration: \"-1s\"", "batchMaxDuration cannot be negative"},
      {"batchIdleDuration: soon", "batchIdleDuration: \"soon\" is not a duration"},
      {"aws.isolatedVPC: maybe", "aws.isolatedVPC: \"maybe\" is not true or false"},
      {"aws.vmMemoryOverheadPercent: much", "aws.vmMemoryOverheadPercent: \"much\" is not a number"}};
  for (const auto& [data, problem] : cases) {
    ControllerOptions options;
    const auto done = apply_global_settings(config_map(data), options);
    ASSERT_FALSE(done) << data;
    EXPECT_THAT(done.error().message, HasSubstr(problem));
  }
}

TEST(ConfigLogging, HasALevelForTheController) {
  EXPECT_EQ(*logging_level(config_map("loglevel.controller: debug, zap-logger-config: '{\"level\":\"error\"}'")),
            "debug");
  EXPECT_EQ(*logging_level(config_map("zap-logger-config: '{\"level\":\"error\"}'")), "error");
  EXPECT_EQ(*logging_level(config_map("loglevel.webhook: error")), "");
  EXPECT_THAT(logging_level(config_map("zap-logger-config: '{'")).error().message, HasSubstr("zap-logger-config"));
}

}  // namespace
}  // namespace tenon::cli
