// SPDX-License-Identifier: Apache-2.0
#include "runtime/sim.h"

#include <gtest/gtest.h>

#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

namespace tenon::runtime {
namespace {

// Four actors that sleep for random times and wake one another; returns their actions, in order.
struct Trace {
  std::vector<std::string> lines;
  uint64_t hash = 0;
  uint64_t switches = 0;
};

Trace busy_hour(uint64_t seed) {
  auto sim = make_sim_runtime({.seed = seed});
  Trace trace;
  auto event = sim->make_event();
  std::vector<std::unique_ptr<Task>> tasks;
  for (const std::string name : {"a", "b", "c", "d"}) {
    tasks.push_back(sim->spawn(name, [&, name](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        trace.lines.push_back(name + format_rfc3339(sim->now()));
        const uint64_t seen = event->version();
        if (sim->random() % 3 == 0) event->notify();
        event->wait(seen, sim->now() + std::chrono::seconds(sim->random() % 60), stop);
      }
    }));
  }
  sim->run_for(1h);
  tasks.clear();
  trace.hash = sim->trace_hash();
  trace.switches = sim->switches();
  return trace;
}

TEST(SimRuntime, SameSeedSameTraceOtherSeedOtherTrace) {
  const Trace first = busy_hour(7);
  EXPECT_GT(first.switches, 100u);
  for (int i = 0; i < 3; ++i) {
    const Trace again = busy_hour(7);
    EXPECT_EQ(again.lines, first.lines);
    EXPECT_EQ(again.hash, first.hash);
    EXPECT_EQ(again.switches, first.switches);
  }
  EXPECT_NE(busy_hour(8).hash, first.hash);
}

TEST(SimRuntime, RunForMovesTheClockEvenWithNobodyToRun) {
  auto sim = make_sim_runtime({});
  const Instant start = sim->now();
  EXPECT_EQ(format_rfc3339(start), "2026-09-01T12:00:00Z");
  sim->run_for(90min);
  EXPECT_EQ(sim->now(), start + 90min);
}

TEST(SimRuntime, ASleeperWakesAtItsExactInstant) {
  auto sim = make_sim_runtime({});
  const Instant start = sim->now();
  std::vector<Duration> woken;
  auto task = sim->spawn("ticker", [&](const std::stop_token& stop) {
    while (sim->sleep_for(7s, stop) == Wake::kTimeout) woken.push_back(sim->now() - start);
  });
  sim->run_for(21s);
  EXPECT_EQ(woken, (std::vector<Duration>{7s, 14s, 21s}));
  sim->run_for(6s);
  EXPECT_EQ(woken.size(), 3u);
  EXPECT_EQ(sim->now(), start + 27s);
}

TEST(SimRuntime, RunUntilStopsAtTheFirstSwitchAfterTheConditionHolds) {
  auto sim = make_sim_runtime({});
  const Instant start = sim->now();
  int ticks = 0;
  auto task = sim->spawn("ticker", [&](const std::stop_token& stop) {
    while (sim->sleep_for(1s, stop) == Wake::kTimeout) ++ticks;
  });
  EXPECT_TRUE(sim->run_until([&] { return ticks == 5; }, 1h));
  EXPECT_EQ(sim->now(), start + 5s);
  EXPECT_FALSE(sim->run_until([&] { return ticks == 1000; }, 10s));
  EXPECT_EQ(sim->now(), start + 15s);
  EXPECT_EQ(ticks, 15);
}

TEST(SimRuntime, ActorsAndTheConditionRunOnTheOwnersThread) {
  auto sim = make_sim_runtime({});
  const auto owner = std::this_thread::get_id();
  auto task = sim->spawn("ticker", [&](const std::stop_token& stop) {
    EXPECT_EQ(std::this_thread::get_id(), owner);
    while (sim->sleep_for(1s, stop) == Wake::kTimeout) {
    }
  });
  int looks = 0;
  sim->run_until(
      [&] {
        EXPECT_EQ(std::this_thread::get_id(), owner);
        return ++looks == 10;
      },
      1h);
  EXPECT_EQ(looks, 10);
}

TEST(SimRuntime, ASpawnedActorRunsOnlyOnceTheSimulationDoes) {
  auto sim = make_sim_runtime({});
  bool ran = false;
  auto task = sim->spawn("late", [&](const std::stop_token&) { ran = true; });
  EXPECT_FALSE(ran);
  sim->run_for(0s);
  EXPECT_TRUE(ran);
}

TEST(SimRuntime, TheOwnerNotifiesBetweenRuns) {
  auto sim = make_sim_runtime({});
  auto event = sim->make_event();
  int woken = 0;
  auto task = sim->spawn("waiter", [&](const std::stop_token& stop) {
    for (uint64_t seen = 0; event->wait(seen, kNever, stop) == Wake::kNotified; seen = event->version()) ++woken;
  });
  sim->run_for(1s);
  EXPECT_EQ(woken, 0);
  event->notify();
  EXPECT_EQ(woken, 0);
  sim->run_for(1s);
  EXPECT_EQ(woken, 1);
}

TEST(SimRuntime, OnlyOneActorRunsAtATime) {
  auto sim = make_sim_runtime({});
  int inside = 0;  // plain: ThreadSanitizer checks it, too
  std::vector<std::unique_ptr<Task>> tasks;
  for (int i = 0; i < 8; ++i) {
    tasks.push_back(sim->spawn("worker", [&](const std::stop_token& stop) {
      for (int n = 0; n < 50; ++n) {
        ++inside;
        EXPECT_EQ(inside, 1);
        --inside;
        sim->sleep_until(sim->now(), stop);
      }
    }));
  }
  sim->run_for(1s);
  for (auto& task : tasks) task->join();
  EXPECT_GE(sim->switches(), 400u);
}

TEST(SimRuntime, ChanceDecidesWhoRunsFirst) {
  std::vector<std::string> firsts;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    auto sim = make_sim_runtime({.seed = seed});
    std::string order;
    auto a = sim->spawn("a", [&](const std::stop_token&) { order += "a"; });
    auto b = sim->spawn("b", [&](const std::stop_token&) { order += "b"; });
    sim->run_for(0s);
    firsts.push_back(order);
  }
  EXPECT_NE(std::find(firsts.begin(), firsts.end(), "ab"), firsts.end());
  EXPECT_NE(std::find(firsts.begin(), firsts.end(), "ba"), firsts.end());
}

TEST(SimRuntime, TwoSimulationsInOneProcessDoNotMix) {
  auto outer = make_sim_runtime({.seed = 1});
  bool inner_done = false;
  auto task = outer->spawn("driver", [&](const std::stop_token&) {
    auto inner = make_sim_runtime({.seed = 2});
    auto child = inner->spawn(
        "child", [&](const std::stop_token& stop) { inner_done = inner->sleep_for(1h, stop) == Wake::kTimeout; });
    inner->run_for(2h);
    child->join();
  });
  outer->run_for(1s);
  EXPECT_TRUE(inner_done);
}

using SimRuntimeDeathTest = testing::Test;

TEST(SimRuntimeDeathTest, ALockHeldAcrossAWaitIsNamed) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        auto sim = make_sim_runtime({.watchdog = 100ms});
        std::mutex mutex;
        auto holder = sim->spawn("holder", [&](const std::stop_token& stop) {
          std::lock_guard lock(mutex);
          sim->sleep_for(10s, stop);
        });
        sim->run_for(1s);
        auto victim = sim->spawn("victim", [&](const std::stop_token&) { std::lock_guard lock(mutex); });
        sim->run_for(1s);
      },
      "actor 'victim' holds the baton but sleeps outside the runtime.*'holder'");
}

TEST(SimRuntimeDeathTest, AnActorThatSpinsIsNamed) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        auto sim = make_sim_runtime({});
        auto task = sim->spawn("spinner", [&](const std::stop_token& stop) {
          while (true) sim->sleep_until(sim->now(), stop);
        });
        sim->run_for(1s);
      },
      "spins without its clock moving; actor 'spinner'");
}

TEST(SimRuntimeDeathTest, JoiningWhatNeverEndsIsNamed) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        auto sim = make_sim_runtime({});
        auto event = sim->make_event();
        auto task = sim->spawn("deaf", [&](const std::stop_token&) { event->wait(0, kNever, {}); });
        task.reset();
      },
      "actor 'deaf' is joined but does not end");
}

TEST(SimRuntime, SwitchesAreCheap) {
  auto sim = make_sim_runtime({});
  auto ping = sim->make_event(), pong = sim->make_event();
  constexpr uint64_t kRounds = 2000;
  auto a = sim->spawn("a", [&](const std::stop_token& stop) {
    for (uint64_t i = 0; i < kRounds; ++i) {
      ping->notify();
      pong->wait(i, kNever, stop);
    }
  });
  auto b = sim->spawn("b", [&](const std::stop_token& stop) {
    for (uint64_t i = 0; i < kRounds; ++i) {
      ping->wait(i, kNever, stop);
      pong->notify();
    }
  });
  const auto start = std::chrono::steady_clock::now();
  sim->run_for(1s);
  const auto spent = std::chrono::steady_clock::now() - start;
  EXPECT_GE(sim->switches(), 2 * kRounds);
  RecordProperty("ns_per_switch", std::to_string(spent.count() / static_cast<int64_t>(sim->switches())));
}

}  // namespace
}  // namespace tenon::runtime
