// Gate, RateLimiter and Backoff under the simulated carrier.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "runtime/backoff.h"
#include "runtime/gate.h"
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

TEST_F(PacingTest, AGateLetsInNoMoreThanItsCapacity) {
  Gate gate(*sim_, 3);
  int inside = 0, most = 0, through = 0;
  std::vector<std::unique_ptr<Task>> tasks;
  for (int i = 0; i < 10; ++i) {
    tasks.push_back(sim_->spawn("caller", [&](const std::stop_token& stop) {
      const auto pass = gate.enter(kNever, stop);
      ASSERT_TRUE(pass);
      most = std::max(most, ++inside);
      sim_->sleep_for(1s, stop);
      --inside;
      ++through;
    }));
  }
  sim_->run_for(3s);
  EXPECT_EQ(most, 3);
  EXPECT_EQ(through, 9);
  sim_->run_for(1s);
  EXPECT_EQ(through, 10);
}

TEST_F(PacingTest, AGateEndsTheWaitAtTheDeadlineAndOnStop) {
  Gate gate(*sim_, 1);
  auto pass = gate.enter(kNever, {});
  ASSERT_TRUE(pass);
  EXPECT_FALSE(gate.enter(start_ + 5s, {}));
  EXPECT_EQ(sim_->now(), start_ + 5s);
  auto stopper = sim_->spawn("stopper", [&](const std::stop_token&) { stop_.request_stop(); });
  EXPECT_FALSE(gate.enter(kNever, stop_.get_token()));
  pass.reset();
  EXPECT_TRUE(gate.enter(kNever, {}));
  EXPECT_FALSE(gate.enter(kNever, stop_.get_token())) << "a stopped caller does not get in, even if there is room";
}

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

TEST(Backoff, DoublesUpToItsMaximumAndStartsOver) {
  Prng prng(1);
  Backoff backoff({.first = 100ms, .max = 1s, .jitter_percent = 0});
  std::vector<Duration> pauses;
  for (int i = 0; i < 6; ++i) pauses.push_back(backoff.next(prng));
  EXPECT_EQ(pauses, (std::vector<Duration>{100ms, 200ms, 400ms, 800ms, 1s, 1s}));
  backoff.reset();
  EXPECT_EQ(backoff.next(prng), 100ms);
}

TEST(Backoff, JitterShortensWithinItsBound) {
  Prng prng(1);
  Backoff backoff({.first = 8s, .max = 8s, .jitter_percent = 50});
  Duration least = 8s, most = 0s;
  for (int i = 0; i < 500; ++i) {
    const Duration pause = backoff.next(prng);
    least = std::min(least, pause);
    most = std::max(most, pause);
  }
  EXPECT_GE(least, 4s);
  EXPECT_LT(least, 4200ms);
  EXPECT_LE(most, 8s);
  EXPECT_GT(most, 7800ms);
}

}  // namespace
}  // namespace tenon::runtime
