// SPDX-License-Identifier: Apache-2.0
#include "controllers/registration_health.h"

#include <gtest/gtest.h>

namespace tenon::controllers {
namespace {

// The condition after each outcome: + registered, - failed. '?': no outcome yet.
std::string told(const std::string& outcomes, const std::string& condition = "Unknown") {
  RegistrationHealth health;
  std::string said;
  for (const char outcome : outcomes) {
    (void)health.verdict("pool", condition);
    if (outcome == '+') health.succeeded("pool");
    if (outcome == '-') health.failed("pool", "RegistrationFailed", "why");
    if (outcome == 'r') health.reset("pool");
    const auto verdict = health.verdict("pool", "Unknown");
    said += !verdict ? '?' : verdict->healthy ? 'T' : 'F';
  }
  return said;
}

TEST(RegistrationHealth, TwoFailuresOfFourAreUnhealthy) {
  EXPECT_EQ(told("+"), "T");
  EXPECT_EQ(told("-"), "?");
  EXPECT_EQ(told("--"), "?F");
  EXPECT_EQ(told("+-"), "TT");
  EXPECT_EQ(told("-+"), "?T");
  EXPECT_EQ(told("+-+-"), "TTTF");
  EXPECT_EQ(told("--+++"), "?FFFT") << "the oldest outcome is forgotten";
}

TEST(RegistrationHealth, AnEditForgets) {
  EXPECT_EQ(told("--r-"), "?F??");
  EXPECT_EQ(told("--r+"), "?F?T");
}

TEST(RegistrationHealth, AfterARestartTheConditionStandsForThePast) {
  EXPECT_EQ(told("-", "True"), "?");
  EXPECT_EQ(told("--", "True"), "?F");
  EXPECT_EQ(told("+", "False"), "?") << "two failures before";
  EXPECT_EQ(told("-", "False"), "F");
  EXPECT_EQ(told("+++", "False"), "??T");
}

TEST(RegistrationHealth, PoolsDoNotShare) {
  RegistrationHealth health;
  health.failed("a", "RegistrationFailed", "why");
  health.failed("b", "RegistrationFailed", "why");
  EXPECT_FALSE(health.verdict("a", "Unknown"));
  health.failed("a", "Unauthorized", "no");
  EXPECT_EQ(health.verdict("a", "Unknown")->reason, "Unauthorized");
  EXPECT_EQ(health.verdict("a", "Unknown")->message, "no");
}

}  // namespace
}  // namespace tenon::controllers
