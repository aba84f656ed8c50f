// The contract of both carriers, tested on each.
// SPDX-License-Identifier: Apache-2.0
#include "runtime/runtime.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <optional>
#include <vector>

#include "runtime/live.h"
#include "runtime/sim.h"

namespace tenon::runtime {
namespace {

// The live clock runs 1000 times as fast here, so that seconds of waiting cost milliseconds.
std::unique_ptr<Runtime> make_carrier(const std::string& name) {
  if (name == "live") return make_live_runtime(1000);
  return make_sim_runtime({.seed = 42});
}

class RuntimeConformance : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<Runtime> runtime_ = make_carrier(GetParam());
  const std::stop_token never_;
};

TEST_P(RuntimeConformance, SleepEndsAtItsTimeAndNotBefore) {
  const Instant before = runtime_->now();
  EXPECT_EQ(runtime_->sleep_for(5s, never_), Wake::kTimeout);
  EXPECT_GE(runtime_->now(), before + 5s);
}

TEST_P(RuntimeConformance, SleepUntilThePastReturns) {
  EXPECT_EQ(runtime_->sleep_until(runtime_->now() - 1h, never_), Wake::kTimeout);
  EXPECT_EQ(runtime_->sleep_until(Instant{}, never_), Wake::kTimeout);
}

TEST_P(RuntimeConformance, NotifyWakesAWaiter) {
  auto event = runtime_->make_event();
  std::atomic<bool> ready = false;
  auto waiter = runtime_->spawn("waiter", [&](const std::stop_token& stop) {
    uint64_t seen = event->version();
    while (!ready) {
      EXPECT_EQ(event->wait(seen, kNever, stop), Wake::kNotified);
      seen = event->version();
    }
  });
  auto notifier = runtime_->spawn("notifier", [&](const std::stop_token& stop) {
    EXPECT_EQ(runtime_->sleep_for(1s, stop), Wake::kTimeout);
    ready = true;
    event->notify();
  });
  waiter->join();
  notifier->join();
  EXPECT_TRUE(ready);
}

TEST_P(RuntimeConformance, ANotificationBeforeTheWaitIsNotLost) {
  auto event = runtime_->make_event();
  const uint64_t seen = event->version();
  event->notify();
  EXPECT_EQ(event->version(), seen + 1);
  std::optional<Wake> woken;
  runtime_->spawn("waiter", [&](const std::stop_token& stop) { woken = event->wait(seen, kNever, stop); })->join();
  EXPECT_EQ(woken, Wake::kNotified);
  EXPECT_EQ(event->wait(seen, kNever, never_), Wake::kNotified);
}

TEST_P(RuntimeConformance, WaitTimesOut) {
  auto event = runtime_->make_event();
  const Instant deadline = runtime_->now() + 3s;
  std::optional<Wake> woken;
  runtime_->spawn("waiter", [&](const std::stop_token& stop) { woken = event->wait(0, deadline, stop); })->join();
  EXPECT_EQ(woken, Wake::kTimeout);
  EXPECT_GE(runtime_->now(), deadline);
}

TEST_P(RuntimeConformance, StopWakesAWait) {
  auto event = runtime_->make_event();
  std::optional<Wake> woken;
  {
    auto waiter = runtime_->spawn("waiter", [&](const std::stop_token& stop) { woken = event->wait(0, kNever, stop); });
  }
  EXPECT_EQ(woken, Wake::kStopped);
}

TEST_P(RuntimeConformance, StopWakesASleep) {
  std::optional<Wake> woken;
  {
    auto sleeper =
        runtime_->spawn("sleeper", [&](const std::stop_token& stop) { woken = runtime_->sleep_until(kNever, stop); });
  }
  EXPECT_EQ(woken, Wake::kStopped);
}

TEST_P(RuntimeConformance, AForeignStopSourceWakesAWait) {
  std::stop_source source;
  auto event = runtime_->make_event();
  std::optional<Wake> woken;
  auto waiter =
      runtime_->spawn("waiter", [&](const std::stop_token&) { woken = event->wait(0, kNever, source.get_token()); });
  auto stopper = runtime_->spawn("stopper", [&](const std::stop_token& stop) {
    runtime_->sleep_for(1s, stop);
    source.request_stop();
  });
  waiter->join();
  stopper->join();
  EXPECT_EQ(woken, Wake::kStopped);
}

TEST_P(RuntimeConformance, StopWinsOverNotificationAndDeadline) {
  std::stop_source source;
  source.request_stop();
  auto event = runtime_->make_event();
  event->notify();
  EXPECT_EQ(event->wait(0, Instant{}, source.get_token()), Wake::kStopped);
  EXPECT_EQ(runtime_->sleep_until(Instant{}, source.get_token()), Wake::kStopped);
}

TEST_P(RuntimeConformance, NotificationWinsOverDeadline) {
  auto event = runtime_->make_event();
  event->notify();
  EXPECT_EQ(event->wait(0, Instant{}, never_), Wake::kNotified);
}

TEST_P(RuntimeConformance, EveryWaiterIsWoken) {
  auto event = runtime_->make_event();
  std::atomic<int> woken = 0, waiting = 0;
  std::vector<std::unique_ptr<Task>> tasks;
  for (int i = 0; i < 5; ++i) {
    tasks.push_back(runtime_->spawn("waiter", [&](const std::stop_token& stop) {
      ++waiting;
      if (event->wait(0, kNever, stop) == Wake::kNotified) ++woken;
    }));
  }
  while (waiting < 5) runtime_->sleep_for(1s, never_);
  event->notify();
  for (auto& task : tasks) task->join();
  EXPECT_EQ(woken, 5);
}

TEST_P(RuntimeConformance, AnActorSpawnsAndJoinsAnother) {
  std::vector<int> order;
  runtime_
      ->spawn("parent",
              [&](const std::stop_token&) {
                auto child = runtime_->spawn("child", [&](const std::stop_token& stop) {
                  runtime_->sleep_for(2s, stop);
                  order.push_back(1);
                });
                child->join();
                child->join();
                order.push_back(2);
              })
      ->join();
  EXPECT_EQ(order, (std::vector<int>{1, 2}));
}

TEST_P(RuntimeConformance, ATaskDestroyedByAnActorIsStopped) {
  std::optional<Wake> child_woken;
  runtime_
      ->spawn("parent",
              [&](const std::stop_token& stop) {
                auto child = runtime_->spawn("child", [&](const std::stop_token& child_stop) {
                  child_woken = runtime_->sleep_until(kNever, child_stop);
                });
                runtime_->sleep_for(1s, stop);
                child.reset();
                EXPECT_EQ(child_woken, Wake::kStopped);
              })
      ->join();
  EXPECT_EQ(child_woken, Wake::kStopped);
}

TEST_P(RuntimeConformance, ATaskThatNeverRanStillRunsAndSeesItsStop) {
  bool stopped = false;
  {
    auto task = runtime_->spawn("late", [&](const std::stop_token& stop) {
      runtime_->sleep_until(kNever, stop);
      stopped = stop.stop_requested();
    });
  }
  EXPECT_TRUE(stopped);
}

TEST_P(RuntimeConformance, ProducersAndConsumersLoseNothing) {
  constexpr int kItems = 200;
  std::mutex mutex;
  std::vector<int> queue;
  auto event = runtime_->make_event();
  std::atomic<int> taken = 0;
  auto consume = [&](const std::stop_token& stop) {
    while (true) {
      const uint64_t seen = event->version();
      bool got = false;
      {
        std::lock_guard lock(mutex);
        if (!queue.empty()) {
          queue.pop_back();
          got = true;
        }
      }
      if (got) {
        ++taken;
      } else if (event->wait(seen, kNever, stop) == Wake::kStopped) {
        return;
      }
    }
  };
  auto produce = [&](const std::stop_token& stop) {
    for (int i = 0; i < kItems; ++i) {
      {
        std::lock_guard lock(mutex);
        queue.push_back(i);
      }
      event->notify();
      if (i % 20 == 0) runtime_->sleep_for(1s, stop);
    }
  };
  auto a = runtime_->spawn("consumer-a", consume), b = runtime_->spawn("consumer-b", consume);
  auto p = runtime_->spawn("producer-p", produce), q = runtime_->spawn("producer-q", produce);
  p->join();
  q->join();
  while (taken < 2 * kItems) runtime_->sleep_for(1s, never_);
  EXPECT_EQ(taken, 2 * kItems);
}

TEST_P(RuntimeConformance, RandomNumbersDiffer) { EXPECT_NE(runtime_->random(), runtime_->random()); }

INSTANTIATE_TEST_SUITE_P(Carriers, RuntimeConformance, testing::Values("live", "sim"),
                         [](const auto& param) { return param.param; });

TEST(LiveRuntime, FollowsTheSystemsClockAtSpeedOne) {
  auto runtime = make_live_runtime();
  const auto wall = [] { return Instant(std::chrono::system_clock::now().time_since_epoch()); };
  const Instant before = wall();
  const Instant now = runtime->now();
  EXPECT_GE(now, before);
  EXPECT_LE(now, wall());
}

TEST(LiveRuntime, AdvanceWakesWhoeverWaitsForAPassedTime) {
  auto runtime = make_live_runtime();
  const Instant start = runtime->now();
  std::atomic<bool> later_woken = false;
  auto early = runtime->spawn("early", [&](const std::stop_token& stop) {
    EXPECT_EQ(runtime->sleep_until(start + 100h, stop), Wake::kTimeout);
  });
  auto later = runtime->spawn("later", [&](const std::stop_token& stop) {
    later_woken = runtime->sleep_until(start + 10'000h, stop) == Wake::kTimeout;
  });
  runtime->advance(720h);
  early->join();
  EXPECT_GE(runtime->now(), start + 720h);
  later.reset();
  EXPECT_FALSE(later_woken);
}

}  // namespace
}  // namespace tenon::runtime
