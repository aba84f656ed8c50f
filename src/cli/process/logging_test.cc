// SPDX-License-Identifier: Apache-2.0
#include "cli/process/logging.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "base/testing/temp_folder.h"
#include "cli/process/log_json.h"
#include "json/json.h"
#include "log/messages.h"
#include "log/scope.h"

namespace tenon::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

// Returns the text that a logger with these settings writes to standard output.
template <class Write>
std::string written(const LogSettings& settings, Write write) {
  ::testing::internal::CaptureStdout();
  const auto log = make_log(settings);
  if (log) write(log->logger);
  std::string text = ::testing::internal::GetCapturedStdout();
  return log ? text : log.error().message;
}

log::Entry launched() {
  log::Fields about{
      .node_pool = "default", .node_claim = "default-x", .node = "n1", .provider_id = "aws:///us-east-1a/i-1"};
  about.more = {{log::Key::kInstanceType, "m5.large"}, {log::Key::kAllocatable, log::Object{{"cpu", "1930m"}}}};
  return log::decision(log::kLaunchedNodeClaim, std::move(about), "launched \"m5\"\n");
}

TEST(Logging, AJsonLineHasKarpentersKeys) {
  const std::string text = written({.commit = "abc"}, [](const log::Logger& log) {
    const log::Scope scope(log::reconciliation_of("nodeclaim.lifecycle", "default-x"));
    log.tell(launched());
  });
  const auto line = json::parse(text);
  ASSERT_TRUE(line) << text;
  EXPECT_EQ(json::string_at(*line, {"level"}), "INFO");
  EXPECT_EQ(json::string_at(*line, {"logger"}), "controller");
  EXPECT_EQ(json::string_at(*line, {"message"}), "launched nodeclaim");
  EXPECT_EQ(json::string_at(*line, {"commit"}), "abc");
  EXPECT_EQ(json::string_at(*line, {"controller"}), "nodeclaim.lifecycle");
  EXPECT_EQ(json::string_at(*line, {"controllerGroup"}), "karpenter.sh");
  EXPECT_EQ(json::string_at(*line, {"controllerKind"}), "NodeClaim");
  EXPECT_EQ(json::string_at(*line, {"namespace"}, "missing"), "");
  EXPECT_EQ(json::string_at(*line, {"name"}), "default-x");
  EXPECT_THAT(std::string(json::string_at(*line, {"reconcileID"})),
              MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
  EXPECT_EQ(json::string_at(*line, {"NodePool", "name"}), "default");
  EXPECT_EQ(json::string_at(*line, {"NodeClaim", "name"}), "default-x");
  EXPECT_EQ(json::string_at(*line, {"Node", "name"}), "n1");
  EXPECT_EQ(json::string_at(*line, {"provider-id"}), "aws:///us-east-1a/i-1");
  EXPECT_EQ(json::string_at(*line, {"instance-type"}), "m5.large");
  EXPECT_EQ(json::string_at(*line, {"allocatable", "cpu"}), "1930m");
  EXPECT_EQ(json::string_at(*line, {"detail"}), "launched \"m5\"\n");
  EXPECT_TRUE(parse_rfc3339(json::string_at(*line, {"time"}))) << text;
}

TEST(Logging, AConsoleLineIsZaps) {
  const std::string text =
      written({.format = "console"}, [](const log::Logger& log) { log.info("leading", {.controller = "replica"}); });
  EXPECT_THAT(text, MatchesRegex("[-0-9]+T[0-9:.]+Z\tINFO\tcontroller\tleading\t[{]\"controller\":\"replica\"[}]\n"));
}

TEST(Logging, ATextLineIsForPeople) {
  const std::string text = written({.format = "text"}, [](const log::Logger& log) {
    log.tell(launched());
    log.tell(log::step(log::kRegisteredNodeClaim, {.node_claim = "default-x", .node = "n1"}));
  });
  EXPECT_THAT(text, HasSubstr(" info launched \"m5\"\n"));
  EXPECT_THAT(text, HasSubstr(" info registered nodeclaim NodeClaim=default-x Node=n1\n"));
}

TEST(Logging, FieldsThatAreNotSetAreLeftOut) { EXPECT_EQ(json_members({.message = "leading"}, "", 1), ""); }

TEST(Logging, AFailureIsAReconcilerError) {
  const std::string text = written({}, [](const log::Logger& log) {
    const log::Scope scope(log::reconciliation_of("nodepool", "default"));
    log.failure("nodepool", "default", {Code::kInvalid, "no class", std::nullopt});
  });
  const auto line = json::parse(text);
  ASSERT_TRUE(line) << text;
  EXPECT_EQ(json::string_at(*line, {"level"}), "ERROR");
  EXPECT_EQ(json::string_at(*line, {"message"}), "Reconciler error");
  EXPECT_EQ(json::string_at(*line, {"error"}), "no class");
  EXPECT_EQ(json::string_at(*line, {"name"}), "default");
}

TEST(Logging, LinesOfOneReconciliationShareAnId) {
  EXPECT_EQ(reconcile_id(7, 1), reconcile_id(7, 1));
  EXPECT_NE(reconcile_id(7, 1), reconcile_id(7, 2));
  EXPECT_NE(reconcile_id(7, 1), reconcile_id(8, 1));
}

TEST(Logging, LinesBelowTheLevelAreDiscarded) {
  const std::string text = written({.format = "text", .level = "warn"}, [](const log::Logger& log) {
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
  const std::string text = written({.format = "text"}, [](const log::Logger& log) {
    for (int i = 0; i < 3; ++i) log.failure("nodepool", "default", {Code::kInvalid, "no class", std::nullopt});
  });
  EXPECT_THAT(text, HasSubstr(" error nodepool default: no class\n"));
  EXPECT_EQ(text.find("no class"), text.rfind("no class")) << text;
}

TEST(Logging, ABurstOfEqualMessagesIsSampled) {
  const std::string text = written({.sampling = "2:0"}, [](const log::Logger& log) {
    for (int i = 0; i < 20; ++i) log.info("created nodeclaim", {.node_claim = "c" + std::to_string(i)});
    log.info("launched nodeclaim");
  });
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3) << text;
}

TEST(Logging, EveryOutputReceivesTheLines) {
  const TempFolder folder;
  const std::string path = folder.file("tenon.log");
  const std::string text =
      written({.format = "text", .outputs = "stdout," + path}, [](const log::Logger& log) { log.info("leading"); });
  std::stringstream kept;
  kept << std::ifstream(path).rdbuf();
  EXPECT_THAT(text, HasSubstr("leading"));
  EXPECT_THAT(kept.str(), HasSubstr("leading"));
}

TEST(Logging, ItsOwnErrorsGoToTheErrorOutputs) {
  ::testing::internal::CaptureStderr();
  written({.outputs = "/dev/full"}, [](const log::Logger& log) {
    for (int i = 0; i < 3; ++i) log.info("nobody can keep this");
  });
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(text, HasSubstr("write error: "));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
}

TEST(Logging, AWrongSettingIsAnError) {
  const auto nothing = [](const log::Logger&) {};
  EXPECT_EQ(written({.level = "loud"}, nothing), "log level \"loud\": must be one of debug, info, warn, error");
  EXPECT_THAT(written({.sampling = "x"}, nothing), HasSubstr("log sampling \"x\""));
  EXPECT_EQ(written({.outputs = "stdout,"}, nothing), "--log-output-paths \"stdout,\": a path is empty");
  EXPECT_THAT(written({.error_outputs = "/proc/none/x"}, nothing), HasSubstr("--log-error-output-paths: "));
}

TEST(Logging, TheLevelChangesWhileTheLogIsInUse) {
  ::testing::internal::CaptureStdout();
  const auto log = make_log({.format = "text", .level = "error"});
  ASSERT_TRUE(log);
  log->logger.info("before");
  ASSERT_TRUE(log->level->set("info"));
  log->logger.info("after");
  EXPECT_FALSE(log->level->set("loud"));
  log->logger.info("still");
  const std::string text = ::testing::internal::GetCapturedStdout();
  EXPECT_THAT(text, Not(HasSubstr("before")));
  EXPECT_THAT(text, HasSubstr("after"));
  EXPECT_THAT(text, HasSubstr("still"));
}

}  // namespace
}  // namespace tenon::cli
