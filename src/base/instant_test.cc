// SPDX-License-Identifier: Apache-2.0
#include "base/instant.h"

#include <gtest/gtest.h>

namespace tenon {
namespace {

TEST(Instant, Rfc3339RoundTrips) {
  for (const char* text : {"2026-09-01T12:00:00Z", "1970-01-01T00:00:00Z", "2024-02-29T23:59:59Z"}) {
    ASSERT_TRUE(parse_rfc3339(text)) << text;
    EXPECT_EQ(format_rfc3339(*parse_rfc3339(text)), text);
  }
}

TEST(Instant, Rfc3339OffsetsAndFractions) {
  EXPECT_EQ(format_rfc3339(*parse_rfc3339("2026-09-01T12:00:00+02:00")), "2026-09-01T10:00:00Z");
  EXPECT_EQ(format_rfc3339_micro(*parse_rfc3339("2026-09-01T12:00:00.25Z")), "2026-09-01T12:00:00.250000Z");
}

TEST(Instant, Rfc3339BeyondTheRangeIsItsEnd) {
  EXPECT_EQ(parse_rfc3339("9999-12-31T23:59:59Z"), Instant::max());
  EXPECT_EQ(parse_rfc3339("0001-01-01T00:00:00Z"), Instant::min());
  EXPECT_EQ(format_rfc3339(*parse_rfc3339("2261-12-31T23:59:59.9Z")), "2261-12-31T23:59:59Z");
}

TEST(Instant, Rfc3339RefusesWhatIsNoTime) {
  for (const char* text : {"", "2026-09-01", "2026-13-01T00:00:00Z", "2025-02-29T00:00:00Z", "2026-09-01T24:00:00Z",
                           "2026-09-01T12:00:00", "2026-09-01T12:00:00Zx", "2026-09-01T12:00:00.Z"}) {
    EXPECT_FALSE(parse_rfc3339(text)) << text;
  }
}

TEST(Duration, GoSyntax) {
  struct Row {
    const char *text, *printed;
  };
  for (const auto& [text, printed] : {Row{"720h", "720h0m0s"},
                                      {"1m30s", "1m30s"},
                                      {"1.5h", "1h30m0s"},
                                      {"0", "0s"},
                                      {"300ms", "300ms"},
                                      {"90s", "1m30s"},
                                      {"1h0m0.5s", "1h0m0.5s"}}) {
    ASSERT_TRUE(parse_go_duration(text)) << text;
    EXPECT_EQ(format_go_duration(*parse_go_duration(text)), printed);
  }
  for (const char* text : {"", "5", "1d", "-5s", "s", "5s5", "99999999999h", "Never"}) {
    EXPECT_FALSE(parse_go_duration(text)) << text;
  }
}

TEST(Duration, AgeAsKubectlPrintsIt) {
  EXPECT_EQ(format_age(5s), "5s");
  EXPECT_EQ(format_age(119s), "119s");
  EXPECT_EQ(format_age(200s), "3m20s");
  EXPECT_EQ(format_age(10min), "10m");
  EXPECT_EQ(format_age(4h), "4h");
  EXPECT_EQ(format_age(52h), "2d4h");
}

}  // namespace
}  // namespace tenon
