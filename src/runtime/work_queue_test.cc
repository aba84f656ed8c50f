// SPDX-License-Identifier: Apache-2.0
#include "runtime/work_queue.h"

#include <gtest/gtest.h>

#include <vector>

#include "runtime/sim.h"

namespace tenon::runtime {
namespace {

class WorkQueueTest : public testing::Test {
 protected:
  std::unique_ptr<SimRuntime> sim_ = make_sim_runtime({.seed = 3});
  WorkQueue queue_{*sim_};
  std::vector<std::string> worked_;

  std::unique_ptr<Task> start_worker(Duration each) {
    return sim_->spawn("worker", [this, each](const std::stop_token& stop) {
      while (auto key = queue_.get(stop)) {
        worked_.push_back(*key);
        sim_->sleep_for(each, stop);
        queue_.done(*key);
      }
    });
  }
};

TEST_F(WorkQueueTest, AKeyWaitsOnce) {
  queue_.add("a");
  queue_.add("b");
  queue_.add("a");
  auto worker = start_worker(1s);
  sim_->run_for(10s);
  EXPECT_EQ(worked_, (std::vector<std::string>{"a", "b"}));
}

TEST_F(WorkQueueTest, AKeyAddedWhileWorkedOnComesBackAndIsNeverShared) {
  queue_.add("a");
  auto one = start_worker(5s), two = start_worker(5s);
  sim_->run_for(1s);
  queue_.add("a");
  sim_->run_for(1s);
  EXPECT_EQ(worked_.size(), 1u) << "the second worker must not take it";
  sim_->run_for(20s);
  EXPECT_EQ(worked_, (std::vector<std::string>{"a", "a"}));
}

TEST_F(WorkQueueTest, TheEarliestTimeWins) {
  auto worker = start_worker(0s);
  queue_.add_after("a", 10s);
  queue_.add_after("a", 60s);
  sim_->run_for(9s);
  EXPECT_TRUE(worked_.empty());
  sim_->run_for(2s);
  EXPECT_EQ(worked_.size(), 1u);
  sim_->run_for(100s);
  EXPECT_EQ(worked_.size(), 1u);
}

TEST_F(WorkQueueTest, BackOffDoublesUntilForgotten) {
  auto worker = start_worker(0s);
  const auto delay = [&] {
    const size_t before = worked_.size();
    queue_.add_rate_limited("a");
    const Instant start = sim_->now();
    sim_->run_until([&] { return worked_.size() > before; }, 1h);
    return sim_->now() - start;
  };
  EXPECT_EQ(delay(), 5ms);
  EXPECT_EQ(delay(), 10ms);
  EXPECT_EQ(delay(), 20ms);
  queue_.forget("a");
  EXPECT_EQ(delay(), 5ms);
}

// Sixteen workers wait; the one that takes a key notifies the next one to time the others.
TEST_F(WorkQueueTest, AKeyWakesOneWorkerOrTwo) {
  std::vector<std::unique_ptr<Task>> workers;
  for (int i = 0; i < 16; ++i) workers.push_back(start_worker(0s));
  sim_->run_for(1s);
  const uint64_t before = sim_->switches();
  queue_.add_after("later", 1h);
  for (int i = 0; i < 100; ++i) {
    queue_.add("a" + std::to_string(i));
    sim_->run_for(1s);
  }
  EXPECT_EQ(worked_.size(), 100u);
  EXPECT_LE(sim_->switches() - before, 5 * 100u);  // two of them are the sleeps of the work itself
}

TEST_F(WorkQueueTest, ManyKeysAreWorkedOnSideBySide) {
  std::vector<std::unique_ptr<Task>> workers;
  for (int i = 0; i < 4; ++i) workers.push_back(start_worker(10s));
  sim_->run_for(1s);
  queue_.add_after("d", 2s);
  for (const char* key : {"a", "b", "c"}) queue_.add(key);
  sim_->run_for(3s);
  EXPECT_EQ(worked_, (std::vector<std::string>{"a", "b", "c", "d"}));
}

TEST_F(WorkQueueTest, WhenTheOneThatKeepsTheTimeStopsAnotherDoes) {
  auto first = start_worker(0s), second = start_worker(0s);
  queue_.add_after("a", 1min);
  sim_->run_for(1s);
  for (auto* gone : {&first, &second}) {
    auto replacement = start_worker(0s);
    sim_->run_for(1s);
    gone->reset();
    *gone = std::move(replacement);
  }
  sim_->run_for(2min);
  EXPECT_EQ(worked_, std::vector<std::string>{"a"});
}

TEST_F(WorkQueueTest, StopEndsTheWait) {
  auto worker = start_worker(0s);
  sim_->run_for(1s);
  worker->request_stop();
  worker->join();
  EXPECT_TRUE(worked_.empty());
}

}  // namespace
}  // namespace tenon::runtime
