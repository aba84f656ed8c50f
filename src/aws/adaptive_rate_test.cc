// SPDX-License-Identifier: Apache-2.0
#include "aws/adaptive_rate.h"

#include <gtest/gtest.h>

namespace tenon::aws {
namespace {

const Instant kStart{Duration(1'788'264'000'000'000'000)};

// Ten calls a second for some time, none of them throttled.
Instant run(AdaptiveRate& rate, Instant at, Duration lasts) {
  for (const Instant end = at + lasts; at < end; at += 100ms) {
    if (rate.admit(false, Duration(0), at) == Duration(0)) rate.record_outcome(false, at);
  }
  return at;
}

TEST(AdaptiveRate, HoldsNothingBackUntilSomethingIsRefused) {
  AdaptiveRate rate;
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(rate.admit(false, Duration(0), kStart), Duration(0));
  EXPECT_EQ(rate.rate(), 0);
}

TEST(AdaptiveRate, ARefusalCutsTheMeasuredRateAndItGrowsAgain) {
  AdaptiveRate rate;
  Instant at = run(rate, kStart, 10s);
  rate.record_outcome(true, at);
  EXPECT_NEAR(rate.rate(), 10 * kRateCut, 0.5);
  const double cut = rate.rate();
  at = run(rate, at, 10s);
  EXPECT_GT(rate.rate(), cut);
  const double before = rate.rate();
  rate.record_outcome(true, at);
  EXPECT_LT(rate.rate(), before);
}

TEST(AdaptiveRate, AdmitsNoMoreThanTheRate) {
  AdaptiveRate rate;
  Instant at = run(rate, kStart, 10s);
  rate.record_outcome(true, at);
  const double limit = rate.rate();
  int admitted = 0;
  for (int i = 0; i < 1000; ++i, at += 10ms) admitted += rate.admit(false, Duration(0), at) == Duration(0) ? 1 : 0;
  EXPECT_NEAR(admitted, limit * 10, 2);
}

TEST(AdaptiveRate, NeverEndsCallingAltogether) {
  AdaptiveRate rate;
  Instant at = kStart;
  for (int i = 0; i < 100; ++i, at += 1s) rate.record_outcome(true, at);
  EXPECT_EQ(rate.rate(), kMinRate);
  EXPECT_LE(rate.admit(false, Duration(0), at), Duration(2s));
}

TEST(AdaptiveRate, ReadsYieldToALaunchThatWaitsButNotForEver) {
  AdaptiveRate rate;
  Instant at = run(rate, kStart, 10s);
  rate.record_outcome(true, at);
  at += 10s;  // tokens are available
  rate.launch_waits(true);
  EXPECT_GT(rate.admit(false, Duration(0), at), Duration(0));
  EXPECT_EQ(rate.admit(false, kReadPatience, at), Duration(0));
  EXPECT_EQ(rate.admit(true, Duration(0), at), Duration(0));
  rate.launch_waits(false);
  EXPECT_EQ(rate.admit(false, Duration(0), at), Duration(0));
}

}  // namespace
}  // namespace tenon::aws
