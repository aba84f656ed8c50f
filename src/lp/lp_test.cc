// SPDX-License-Identifier: Apache-2.0
#include "lp/lp.h"

#include <gtest/gtest.h>

namespace tenon::lp {
namespace {

TEST(Lp, CuttingStock) {
  Lp lp({4, 2});
  lp.add({.cost = 1, .entries = {{0, 2}}});
  lp.add({.cost = 1, .entries = {{1, 1}}});
  const auto first = lp.solve();
  ASSERT_TRUE(first);
  EXPECT_NEAR(first->value, 4, 1e-9);
  EXPECT_NEAR(first->duals[0], 0.5, 1e-9);
  EXPECT_NEAR(first->duals[1], 1, 1e-9);

  lp.add({.cost = 1, .entries = {{0, 1}, {1, 1}}});  // reduced cost −0.5: it enters the basis
  const auto second = lp.solve();
  ASSERT_TRUE(second);
  EXPECT_NEAR(second->value, 3, 1e-9);
  EXPECT_NEAR(second->levels[2], 2, 1e-9);
}

TEST(Lp, UpperBoundsHold) {
  Lp lp({10});
  lp.add({.cost = 1, .entries = {{0, 1}}, .upper = 6});
  lp.add({.cost = 3, .entries = {{0, 1}}});
  const auto optimum = lp.solve();
  ASSERT_TRUE(optimum);
  EXPECT_NEAR(optimum->value, 6 + 4 * 3, 1e-9);
}

TEST(Lp, NothingSatisfiesTheRows) {
  Lp lp({1});
  lp.add({.cost = 1, .entries = {{0, 1}}, .upper = 0.5});
  EXPECT_FALSE(lp.solve());
}

}  // namespace
}  // namespace tenon::lp
