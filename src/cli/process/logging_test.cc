// SPDX-License-Identifier: Apache-2.0
#include "cli/process/logging.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/json.h"

namespace tenon::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// What a logger of this format and level writes to standard error.
template <class Write>
std::string written(LogFormat format, const char* level, Write write) {
  ::testing::internal::CaptureStderr();
  const auto log = make_log(format, level);
  if (log) write(log->logger);
  std::string text = ::testing::internal::GetCapturedStderr();
  return log ? text : log.error().message;
}

TEST(Logging, AJsonLineHasKarpentersKeys) {
  const std::string text = written(LogFormat::kJson, "info", [](const log::Logger& log) {
    log.info("launched \"m5\"\n", {.controller = "nodeclaim.lifecycle",
                                   .name = "default-x",
                                   .node_pool = "default",
                                   .node_claim = "default-x",
                                   .node = "n1",
                                   .provider_id = "aws:///us-east-1a/i-1"});
  });
  const auto line = json::parse(text);
  ASSERT_TRUE(line) << text;
  EXPECT_EQ(json::string_at(*line, {"level"}), "INFO");
  EXPECT_EQ(json::string_at(*line, {"logger"}), "controller");
  EXPECT_EQ(json::string_at(*line, {"message"}), "launched \"m5\"\n");
  EXPECT_EQ(json::string_at(*line, {"controller"}), "nodeclaim.lifecycle");
  EXPECT_EQ(json::string_at(*line, {"name"}), "default-x");
  EXPECT_EQ(json::string_at(*line, {"NodePool", "name"}), "default");
  EXPECT_EQ(json::string_at(*line, {"NodeClaim", "name"}), "default-x");
  EXPECT_EQ(json::string_at(*line, {"Node", "name"}), "n1");
  EXPECT_EQ(json::string_at(*line, {"provider-id"}), "aws:///us-east-1a/i-1");
  EXPECT_TRUE(parse_rfc3339(json::string_at(*line, {"time"}))) << text;
}

TEST(Logging, FieldsThatAreNotSetAreLeftOut) {
  EXPECT_EQ(json_fields({.message = "leading"}), R"("message":"leading")");
}

TEST(Logging, LinesBelowTheLevelAreDiscarded) {
  const std::string text = written(LogFormat::kText, "warn", [](const log::Logger& log) {
    EXPECT_FALSE(log.writes(log::Level::kInfo));
    log.debug("one");
    log.info("two");
    log.warn("three");
    log.error("four");
  });
  EXPECT_THAT(text, Not(HasSubstr("one")));
  EXPECT_THAT(text, Not(HasSubstr("two")));
  EXPECT_THAT(text, HasSubstr(" warning three\n"));
  EXPECT_THAT(text, HasSubstr(" error four\n"));
}

TEST(Logging, AFailureThatRepeatsIsLoggedOnce) {
  const std::string text = written(LogFormat::kText, "info", [](const log::Logger& log) {
    for (int i = 0; i < 3; ++i) log.failure("nodepool", "default", {Code::kInvalid, "no class", std::nullopt});
  });
  EXPECT_THAT(text, HasSubstr(" warning nodepool default: no class\n"));
  EXPECT_EQ(text.find("no class"), text.rfind("no class")) << text;
}

TEST(Logging, AnUnknownLevelIsAnError) {
  EXPECT_EQ(written(LogFormat::kText, "loud", [](const log::Logger&) {}),
            "log level \"loud\": must be one of debug, info, warn, error");
}

TEST(Logging, TheLevelChangesWhileTheLogIsInUse) {
  ::testing::internal::CaptureStderr();
  const auto log = make_log(LogFormat::kText, "error");
  ASSERT_TRUE(log);
  log->logger.info("before");
  ASSERT_TRUE(log->level->set("info"));
  log->logger.info("after");
  EXPECT_FALSE(log->level->set("loud"));
  log->logger.info("still");
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(text, Not(HasSubstr("before")));
  EXPECT_THAT(text, HasSubstr("after"));
  EXPECT_THAT(text, HasSubstr("still"));
}

}  // namespace
}  // namespace tenon::cli
