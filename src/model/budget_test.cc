// SPDX-License-Identifier: Apache-2.0
#include "model/budget.h"

#include <gtest/gtest.h>

#include <climits>

namespace tenon::model {
namespace {

const Instant kNoon = *parse_rfc3339("2026-09-01T12:00:00Z");  // a Tuesday

TEST(Budget, Allowed) {
  struct Row {
    std::vector<Budget> budgets;
    const char* reason;
    int total, expected;
    const char* why;
  };
  const Budget night{{}, "0", "0 0 * * *", 6h};
  const Budget office{{}, "0", "0 9 * * mon-fri", 8h};
  const Row rows[] = {
      {{Budget{}}, "Empty", 9, 1, "10 % of 9 rounds up"},
      {{Budget{}}, "Empty", 10, 1, "10 % of 10"},
      {{Budget{}}, "Empty", 11, 2, "10 % of 11 rounds up"},
      {{Budget{}}, "Empty", 0, 0, "nothing of nothing"},
      {{}, "Empty", 5, INT_MAX, "no budget, no restriction"},
      {{{{}, "3", "", {}}, {{}, "50%", "", {}}}, "Empty", 4, 2, "the least counts"},
      {{{{"Drifted"}, "0", "", {}}}, "Empty", 4, INT_MAX, "another reason"},
      {{{{"Drifted"}, "0", "", {}}}, "Drifted", 4, 0, "its reason"},
      {{night}, "Empty", 4, INT_MAX, "closed at noon"},
      {{office}, "Empty", 4, 0, "open at noon"},
      {{{{}, "x", "", {}}}, "Empty", 4, 0, "malformed allows none"},
      {{{{}, "101%", "", {}}}, "Empty", 4, 0, "more than all is malformed"},
      {{{{}, "-1", "", {}}}, "Empty", 4, 0, "negative is malformed"},
      {{{{"Drifted"}, "5", "bad", 1h}}, "Empty", 4, 0, "malformed even where another reason is meant"},
  };
  for (const Row& row : rows)
    EXPECT_EQ(allowed_disruptions(row.budgets, row.reason, row.total, kNoon), row.expected) << row.why;
}

TEST(Budget, WindowEdges) {
  const Budget b{{}, "1", "0 12 * * *", 1h};
  EXPECT_TRUE(*budget_active(b, kNoon));
  EXPECT_FALSE(*budget_active(b, kNoon - 1s));
  EXPECT_TRUE(*budget_active(b, kNoon + 59min + 59s));
  EXPECT_FALSE(*budget_active(b, kNoon + 1h));
  EXPECT_FALSE(budget_active({{}, "1", "nope", 1h}, kNoon));
}

}  // namespace
}  // namespace tenon::model
