// SPDX-License-Identifier: Apache-2.0
#include "runtime/batcher.h"

#include <gtest/gtest.h>

#include <vector>

#include "runtime/sim.h"

namespace tenon::runtime {
namespace {

class BatcherTest : public testing::Test {
 protected:
  std::unique_ptr<SimRuntime> sim_ = make_sim_runtime({.seed = 5});
  Batcher batcher_{*sim_, 1s, 10s};
  std::vector<Duration> closed_;
  const Instant start_ = sim_->now();
  std::unique_ptr<Task> task_ = sim_->spawn("batches", [this](const std::stop_token& stop) {
    while (batcher_.wait(stop)) closed_.push_back(sim_->now() - start_);
  });
};

TEST_F(BatcherTest, ClosesWhenIdle) {
  sim_->run_for(5s);
  EXPECT_TRUE(closed_.empty()) << "no trigger, no batch";
  batcher_.trigger("a");
  sim_->run_for(3s);
  EXPECT_EQ(closed_, std::vector<Duration>{6s});
}

TEST_F(BatcherTest, NewTriggersKeepItOpenUpToTheMaximum) {
  for (int i = 0; i < 40; ++i) {
    batcher_.trigger("pod-" + std::to_string(i));
    sim_->run_for(500ms);
  }
  EXPECT_EQ(closed_.front(), 10s);
}

TEST_F(BatcherTest, AKnownTriggerDoesNotKeepItOpen) {
  for (int i = 0; i < 4; ++i) {
    batcher_.trigger("a");
    sim_->run_for(500ms);
  }
  EXPECT_EQ(closed_.front(), 1s);
}

TEST_F(BatcherTest, AReminderStartsABatch) {
  batcher_.remind("a");
  sim_->run_for(3s);
  EXPECT_EQ(closed_, std::vector<Duration>{1s});
}

TEST_F(BatcherTest, AReminderDoesNotKeepItOpen) {
  batcher_.trigger("new");
  sim_->run_for(500ms);
  batcher_.remind("a");
  batcher_.remind("b");
  sim_->run_for(3s);
  EXPECT_EQ(closed_, std::vector<Duration>{1s}) << "one batch, which served the reminders as well";
}

}  // namespace
}  // namespace tenon::runtime
