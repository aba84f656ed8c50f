// SPDX-License-Identifier: Apache-2.0
#include "kube/expiries.h"

#include <gtest/gtest.h>

namespace tenon::kube {
namespace {

const Instant kNow{Duration(1h)};

TEST(Expiries, AKeyCountsUntilItsTime) {
  Expiries expiries(10);
  expiries.set("a", kNow + 2min, kNow);
  EXPECT_EQ(expiries.expiry("a", kNow + 1min), kNow + 2min);
  EXPECT_EQ(expiries.expiry("b", kNow + 1min), kNow + 1min);
  expiries.set("a", kNow + 3min, kNow + 1min);
  EXPECT_EQ(expiries.expiry("a", kNow + 2min), kNow + 3min);
  EXPECT_EQ(expiries.expiry("a", kNow + 3min), kNow + 3min);
  EXPECT_EQ(expiries.size(), 0u);
}

TEST(Expiries, TheFirstToExpireGivesWayToTheKeyBeyondTheLimit) {
  Expiries expiries(2);
  expiries.set("late", kNow + 3min, kNow);
  expiries.set("soon", kNow + 1min, kNow);
  expiries.set("later", kNow + 4min, kNow);
  EXPECT_EQ(expiries.size(), 2u);
  EXPECT_EQ(expiries.expiry("soon", kNow), kNow);
  EXPECT_EQ(expiries.expiry("late", kNow), kNow + 3min);
}

// None of the keys has expired: a sweep of them at each call would take 3,200,000,000 steps.
TEST(Expiries, ACallCostsTheSameWhateverTheNumberOfKeys) {
  constexpr size_t kMost = 20'000, kCalls = 100'000;
  Expiries expiries(kMost);
  for (size_t i = 0; i < kCalls; ++i) {
    const std::string key = "uid-" + std::to_string(i);
    ASSERT_EQ(expiries.expiry(key, kNow), kNow);
    expiries.set(key, kNow + 2min, kNow);
  }
  EXPECT_EQ(expiries.size(), kMost);
  EXPECT_LE(expiries.steps(), 3 * kCalls);
}

}  // namespace
}  // namespace tenon::kube
