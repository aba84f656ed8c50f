// RateLimiter under the simulated carrier, TokenBucket and Backoff.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "runtime/backoff.h"
#include "runtime/rate_limiter.h"
#include "runtime/sim.h"

namespace tenon::runtime {
namespace {

class PacingTest : public testing::Test {
 protected:
  std::unique_ptr<SimRuntime> sim_ = make_sim_runtime({.seed = 11});
  const Instant start_ = sim_->now();
  std::stop_source stop_;
};

TEST_F(PacingTest, ATokenBucketServesABurstAndThenItsRate) {
  RateLimiter limiter(*sim_, 100ms, 3);
  std::vector<Duration> served;
  for (int i = 0; i < 6; ++i) {
    ASSERT_EQ(limiter.take(kNever, {}), Wake::kNotified);
    served.push_back(sim_->now() - start_);
  }
  EXPECT_EQ(served, (std::vector<Duration>{0ms, 0ms, 0ms, 100ms, 200ms, 300ms}));
  EXPECT_FALSE(limiter.try_take());
  sim_->run_for(100ms);
  EXPECT_TRUE(limiter.try_take());
  EXPECT_FALSE(limiter.try_take());
  sim_->run_for(1h);
  EXPECT_TRUE(limiter.try_take() && limiter.try_take() && limiter.try_take());
  EXPECT_FALSE(limiter.try_take()) << "an hour fills the bucket, not more";
}

TEST_F(PacingTest, ATokenDueAfterTheDeadlineIsNotWaitedForNorTaken) {
  RateLimiter limiter(*sim_, 1s, 1);
  EXPECT_EQ(limiter.take(kNever, {}), Wake::kNotified);
  EXPECT_EQ(limiter.take(start_ + 999ms, {}), Wake::kTimeout);
  EXPECT_EQ(sim_->now(), start_);
  EXPECT_EQ(limiter.take(start_ + 1s, {}), Wake::kNotified);
  EXPECT_EQ(sim_->now(), start_ + 1s);
}

TEST_F(PacingTest, AStoppedTakeGivesItsTokenBack) {
  RateLimiter limiter(*sim_, 10s, 1);
  EXPECT_TRUE(limiter.try_take());
  auto stopper = sim_->spawn("stopper", [&](const std::stop_token& stop) {
    sim_->sleep_for(1s, stop);
    stop_.request_stop();
  });
  EXPECT_EQ(limiter.take(kNever, stop_.get_token()), Wake::kStopped);
  EXPECT_EQ(limiter.take(kNever, stop_.get_token()), Wake::kStopped);
  EXPECT_EQ(sim_->now(), start_ + 1s);
  EXPECT_EQ(limiter.take(kNever, {}), Wake::kNotified);
  EXPECT_EQ(sim_->now(), start_ + 10s);
}

TEST(TokenBucket, WithABurstOfOneAdmitsOneInAnInterval) {
  const Instant start{};
  TokenBucket bucket(10s);
  EXPECT_EQ(bucket.due(start), start);
  EXPECT_TRUE(bucket.try_take(start));
  EXPECT_EQ(bucket.due(start + 3s), start + 10s);
  EXPECT_FALSE(bucket.try_take(start + 9999ms));
  EXPECT_TRUE(bucket.try_take(start + 10s));
  EXPECT_TRUE(bucket.try_take(start + 1h));
  EXPECT_FALSE(bucket.try_take(start + 1h));
}

TEST(TokenBucket, ContinuesAnEarlierOne) {
  const Instant start{};
  TokenBucket bucket(10s, 2);
  EXPECT_TRUE(bucket.try_take(start) && bucket.try_take(start));
  TokenBucket next(10s, 2, bucket.full_at());
  EXPECT_FALSE(next.try_take(start + 9s));
  EXPECT_TRUE(next.try_take(start + 10s));
  EXPECT_FALSE(next.try_take(start + 10s));
}

TEST(Backoff, DoublesUpToItsMaximumAndStartsOver) {
  Backoff backoff({.first = 100ms, .max = 1s});
  std::vector<Duration> pauses;
  for (int i = 0; i < 6; ++i) pauses.push_back(backoff.next());
  EXPECT_EQ(pauses, (std::vector<Duration>{100ms, 200ms, 400ms, 800ms, 1s, 1s}));
  backoff.reset();
  EXPECT_EQ(backoff.next(), 100ms);
}

TEST(Backoff, ThePauseAfterANumberOfFailuresIsTheSame) {
  Backoff backoff({.first = 3ms, .max = 1s});
  for (int failures = 1; failures < 20; ++failures) {
    EXPECT_EQ(backoff_pause(3ms, 1s, failures), backoff.next()) << failures;
  }
  EXPECT_EQ(backoff_pause(3ms, 1s, 1'000'000), 1s);
  EXPECT_EQ(backoff_pause(3ms, 1s, 0), 0s);
  EXPECT_EQ(backoff_pause(5s, 1s, 1), 1s) << "the first pause does not exceed the maximum";
}

}  // namespace
}  // namespace tenon::runtime
