// SPDX-License-Identifier: Apache-2.0
#include "controllers/loop.h"

#include <gmock/gmock.h>
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

TEST_F(LoopTest, IsMeasured) {
  metrics::Registry registry;
  const auto metrics = std::make_shared<LoopMetrics>(registry);
  registry.add(metrics);
  int calls = 0;
  std::string while_it_runs;
  Loop* self = nullptr;
  // k fails, then meets a conflict, then is to be reconciled again in an hour; "other" succeeds.
  const auto reconcile = [&](const std::string& key, const std::stop_token& stop) -> Result<Next> {
    if (key == "other") return Next{};
    if (calls == 0) self->add("other");
    sim_->sleep_for(2s, stop);
    if (++calls == 1) {
      while_it_runs = registry.text();
      return fail(Code::kUnavailable, "failed");
    }
    if (calls == 2) return fail(Code::kConflict, "stale");
    return Next{1h};
  };
  Loop loop(*sim_, {.name = "test", .base_delay = 10s, .log = log::Logger(log_), .metrics = metrics}, reconcile);
  self = &loop;
  loop.add("k");
  loop.start();
  sim_->run_for(1min);
  for (const char* line : {"workqueue_depth{name=\"test\",controller=\"test\"} 1\n",
                           "workqueue_unfinished_work_seconds{name=\"test\",controller=\"test\"} 2\n",
                           "workqueue_longest_running_processor_seconds{name=\"test\",controller=\"test\"} 2\n",
                           "controller_runtime_active_workers{controller=\"test\"} 1\n",
                           "controller_runtime_max_concurrent_reconciles{controller=\"test\"} 1\n",
                           "controller_runtime_reconcile_errors_total{controller=\"test\"} 0\n"}) {
    EXPECT_THAT(while_it_runs, testing::HasSubstr(line));
  }
  const std::string text = registry.text();
  for (const char* line : {"controller_runtime_reconcile_total{controller=\"test\",result=\"error\"} 1\n",
                           "controller_runtime_reconcile_total{controller=\"test\",result=\"requeue\"} 1\n",
                           "controller_runtime_reconcile_total{controller=\"test\",result=\"requeue_after\"} 1\n",
                           "controller_runtime_reconcile_total{controller=\"test\",result=\"success\"} 1\n",
                           "controller_runtime_reconcile_time_seconds_sum{controller=\"test\"} 6\n",
                           "workqueue_queue_duration_seconds_sum{name=\"test\",controller=\"test\"} 2\n",
                           "workqueue_adds_total{name=\"test\",controller=\"test\"} 5\n",
                           "workqueue_retries_total{name=\"test\",controller=\"test\"} 1\n",
                           "workqueue_depth{name=\"test\",controller=\"test\"} 0\n"}) {
    EXPECT_THAT(text, testing::HasSubstr(line));
  }
}

}  // namespace
}  // namespace tenon::controllers
