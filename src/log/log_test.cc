// SPDX-License-Identifier: Apache-2.0
#include "log/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "log/testing/capture.h"

namespace tenon::log {
namespace {

using ::testing::ElementsAre;

TEST(Log, ALineHasItsLevelItsMessageAndItsFields) {
  const auto capture = std::make_shared<testing::Capture>();
  const Logger log(capture);
  const Fields fields{.node_pool = "default", .node_claim = "default-x", .node = "n1", .provider_id = "aws:///a/i-1"};
  log.debug("one", fields);
  log.tell({"two", fields});
  log.warn("three");
  log.error("four");
  const auto lines = capture->lines();
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0].level, Level::kDebug);
  EXPECT_EQ(lines[0].fields, fields);
  EXPECT_EQ(lines[1].fields, fields);
  EXPECT_EQ(lines[2].level, Level::kWarn);
  EXPECT_EQ(lines[3].level, Level::kError);
  EXPECT_THAT(capture->messages(Level::kInfo), ElementsAre("two"));
  EXPECT_THAT(capture->messages(Level::kWarn), ElementsAre("three"));
}

TEST(Log, AFailureNamesControllerAndObject) {
  const auto capture = std::make_shared<testing::Capture>();
  const Logger log(capture);
  log.failure("nodepool", "default", {Code::kTimeout, "no answer", std::nullopt});
  log.failure("catalog", "", {Code::kForbidden, "denied", std::nullopt});
  EXPECT_THAT(capture->failures(), ElementsAre("nodepool default: no answer", "catalog: denied"));
  EXPECT_EQ(capture->lines()[0].level, Level::kError);
  EXPECT_EQ(capture->lines()[0].message, "Reconciler error");
  EXPECT_EQ(capture->lines()[1].failure, Code::kForbidden);
  EXPECT_TRUE(capture->messages(Level::kError).empty());
}

TEST(Log, ADecisionIsPlainTextWithoutItsFields) {
  EXPECT_EQ(plain_text({.message = "launched", .fields = {.controller = "nodeclaim.lifecycle"}}), "launched");
}

TEST(Log, WithoutASinkLinesAreDiscarded) { Logger().info("nobody reads this"); }

}  // namespace
}  // namespace tenon::log
