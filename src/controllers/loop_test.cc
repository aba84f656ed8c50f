// SPDX-License-Identifier: Apache-2.0
#include "controllers/loop.h"

#include <gtest/gtest.h>

#include "log/testing/capture.h"
#include "runtime/sim.h"

namespace tenon::controllers {
namespace {

class LoopTest : public testing::Test {
 protected:
  std::unique_ptr<runtime::SimRuntime> sim_ = runtime::make_sim_runtime({.seed = 9});
  std::vector<Duration> calls_;
  const std::shared_ptr<log::testing::Capture> log_ = std::make_shared<log::testing::Capture>();
  const Instant start_ = sim_->now();

  std::vector<Duration> run(std::function<Result<Next>(size_t call)> answer, Duration span) {
    Loop loop(*sim_, {.name = "test", .base_delay = 1s, .max_delay = 4s, .log = log::Logger(log_)},
              [&](const std::string&, const std::stop_token&) {
                calls_.push_back(sim_->now() - start_);
                return answer(calls_.size());
              });
    loop.add("k");
    loop.start();
    sim_->run_for(span);
    return calls_;
  }
};

TEST_F(LoopTest, LooksAgainWhenAsked) {
  EXPECT_EQ(run([](size_t) { return Next{10s}; }, 25s), (std::vector<Duration>{0s, 10s, 20s}));
}

TEST_F(LoopTest, AnErrorBacksOffUpToTheMaximumAndSuccessForgetsIt) {
  const auto answer = [](size_t call) -> Result<Next> {
    if (call == 5) return Next{1s};
    return fail(Code::kUnavailable, "failed");
  };
  EXPECT_EQ(run(answer, 14s), (std::vector<Duration>{0s, 1s, 3s, 7s, 11s, 12s, 13s}));
  EXPECT_EQ(log_->failures().front(), "test k: failed");
}

TEST_F(LoopTest, AConflictComesBackAtOnceWithoutComplaint) {
  const auto answer = [](size_t call) -> Result<Next> {
    if (call > 1) return Next{};
    return fail(Code::kConflict, "stale");
  };
  EXPECT_EQ(run(answer, 1s), (std::vector<Duration>{0s, 20ms}));
  EXPECT_TRUE(log_->failures().empty());
}

TEST_F(LoopTest, ConflictsInARowBackOff) {
  const auto answer = [](size_t) -> Result<Next> { return fail(Code::kConflict, "stale"); };
  EXPECT_EQ(run(answer, 650ms), (std::vector<Duration>{0s, 20ms, 60ms, 140ms, 300ms, 620ms}));
}

}  // namespace
}  // namespace tenon::controllers
