// SPDX-License-Identifier: Apache-2.0
#include "model/cron.h"

#include <gtest/gtest.h>

namespace tenon::model {
namespace {

TEST(Cron, Next) {
  struct Row {
    const char *cron, *from, *next;
  };
  const Row rows[] = {
      {"* * * * *", "2026-01-01T00:00:00Z", "2026-01-01T00:01:00Z"},
      {"* * * * *", "2026-01-01T00:00:59Z", "2026-01-01T00:01:00Z"},
      {"*/15 * * * *", "2026-01-01T00:14:00Z", "2026-01-01T00:15:00Z"},
      {"5/20 * * * *", "2026-01-01T00:06:00Z", "2026-01-01T00:25:00Z"},
      {"0 9-17 * * mon-fri", "2026-01-02T17:00:00Z", "2026-01-05T09:00:00Z"},
      {"0 0 29 2 *", "2026-01-01T00:00:00Z", "2028-02-29T00:00:00Z"},
      {"0 0 13 * 5", "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"},   // either day field
      {"0 0 13 * ?", "2026-01-01T00:00:00Z", "2026-01-13T00:00:00Z"},
      {"@hourly", "2026-01-01T00:00:00Z", "2026-01-01T01:00:00Z"},
      {"@weekly", "2026-01-01T00:00:00Z", "2026-01-04T00:00:00Z"},
      {"@yearly", "2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z"},
      {"30 12 1 JAN,Jul *", "2026-01-02T00:00:00Z", "2026-07-01T12:30:00Z"},
  };
  for (const Row& row : rows) {
    const auto cron = Cron::parse(row.cron);
    ASSERT_TRUE(cron) << row.cron << ": " << cron.error().message;
    EXPECT_EQ(format_rfc3339(cron->next(*parse_rfc3339(row.from))), row.next) << row.cron;
  }
  EXPECT_EQ(Cron::parse("0 0 31 2 *")->next(*parse_rfc3339("2026-01-01T00:00:00Z")), kNever);
}

TEST(Cron, RefusesAndNamesTheField) {
  const std::pair<const char*, const char*> rows[] = {
      {"", "expected 5 fields"},     {"* * * *", "expected 5 fields"},  {"60 * * * *", "minute"},
      {"* 24 * * *", "hour"},        {"* * 0 * *", "day of month"},     {"* * * 13 *", "month"},
      {"* * * * 7", "day of week"},  {"5-1 * * * *", "runs backwards"}, {"*/0 * * * *", "step"},
      {"x * * * *", "not a number"}, {"@fortnightly", "descriptor"},    {"1,,2 * * * *", "minute"},
  };
  for (const auto& [text, part] : rows) {
    const auto cron = Cron::parse(text);
    ASSERT_FALSE(cron) << text;
    EXPECT_NE(cron.error().message.find(part), std::string::npos) << cron.error().message;
  }
}

}  // namespace
}  // namespace tenon::model
