// SPDX-License-Identifier: Apache-2.0
#include "cli/controller/global_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/json.h"
#include "json/yaml.h"

namespace tenon::cli {
namespace {

using ::testing::HasSubstr;

json::value config_map(const std::string& data) {
  return json::parse_yaml("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {" + data + "}}")->front();
}

TEST(GlobalSettings, FillTheOptionsThatHaveTheirDefault) {
  ControllerOptions options;
  options.interruption_queue = "given";
  apply_global_settings({.cluster_name = "demo",
                         .cluster_endpoint = "https://a",
                         .interruption_queue = "other",
                         .isolated_vpc = true,
                         .vm_memory_overhead_percent = 0.05,
                         .batch_idle = 2s,
                         .batch_max = 20s},
                        options);
  EXPECT_EQ(options.cluster_name, "demo");
  EXPECT_EQ(options.cluster_endpoint, "https://a");
  EXPECT_EQ(options.interruption_queue, "given");
  EXPECT_TRUE(options.isolated_vpc);
  EXPECT_EQ(options.vm_memory_overhead_percent, 0.05);
  EXPECT_EQ(options.batch_idle, Duration(2s));
  EXPECT_EQ(options.batch_max, Duration(20s));
}

TEST(GlobalSettings, LeaveTheDefaultsIfTheySetNothing) {
  ControllerOptions options;
  apply_global_settings({}, options);
  EXPECT_EQ(options.batch_max, ControllerOptions().batch_max);
  EXPECT_EQ(options.vm_memory_overhead_percent, ControllerOptions().vm_memory_overhead_percent);
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
