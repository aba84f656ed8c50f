// SPDX-License-Identifier: Apache-2.0
#include "cloud/aws_provider/util/call_batcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/sim.h"

namespace tenon::cloud {
namespace {

using ::testing::ElementsAre;

struct World {
  std::unique_ptr<runtime::SimRuntime> sim = runtime::make_sim_runtime({.seed = 5});
  std::vector<size_t> calls;  // number of keys of each call
  std::vector<std::string> answers;
  bool broken = false;
  CallBatcher<int> batcher{
      *sim,
      {.idle = 100ms, .longest = 1s, .max_items = 4},
      [this](const std::vector<std::string>& keys, const std::stop_token& stop) { return call(keys, stop); }};
  std::vector<std::unique_ptr<runtime::Task>> tasks;  // last: they end before the members that they use

  Result<std::map<std::string, int>> call(const std::vector<std::string>& keys, const std::stop_token& stop) {
    calls.push_back(keys.size());
    if (sim->sleep_for(200ms, stop) == runtime::Wake::kStopped) return fail(Code::kCancelled, "stopped");
    if (broken) return fail(Code::kThrottled, "slow down");
    std::map<std::string, int> out;
    for (const std::string& key : keys) {
      if (key != "unknown") out[key] = static_cast<int>(key.size());
    }
    return out;
  }
  void ask(const std::string& key, Duration after) {
    tasks.push_back(sim->spawn("ask-" + key, [this, key, after](const std::stop_token& stop) {
      if (sim->sleep_for(after, stop) == runtime::Wake::kStopped) return;
      const auto answer = batcher.ask(key, stop);
      const std::string text = !answer ? "error" : *answer ? std::to_string(**answer) : "nothing";
      answers.push_back(key + "=" + text);
    }));
  }
};

TEST(CallBatcher, JoinsWhatComesWithinTheWindow) {
  World world;
  world.ask("a", 0ms);
  world.ask("bb", 50ms);
  world.ask("unknown", 120ms);  // within 100 ms of the previous one
  world.ask("late", 400ms);
  world.sim->run_for(5s);
  EXPECT_THAT(world.calls, ElementsAre(3, 1));
  std::sort(world.answers.begin(), world.answers.end());
  EXPECT_THAT(world.answers, ElementsAre("a=1", "bb=2", "late=4", "unknown=nothing"));
}

TEST(CallBatcher, AsksOnceForWhatSeveralWant) {
  World world;
  for (const char* key : {"a", "bb", "a"}) world.ask(key, 0ms);
  world.sim->run_for(5s);
  EXPECT_THAT(world.calls, ElementsAre(2));
  std::sort(world.answers.begin(), world.answers.end());
  EXPECT_THAT(world.answers, ElementsAre("a=1", "a=1", "bb=2"));
}

TEST(CallBatcher, ClosesWhenItIsFull) {
  World world;
  for (int i = 0; i < 6; ++i) world.ask("k" + std::to_string(i), 0ms);
  world.sim->run_for(1min);
  EXPECT_THAT(world.calls, ElementsAre(4, 2));
  EXPECT_EQ(world.answers.size(), 6u);
}

TEST(CallBatcher, ClosesAtItsLongest) {
  World world;
  CallBatcher<int> wide(*world.sim, {.idle = 100ms, .longest = 1s, .max_items = 100},
                        [&](const std::vector<std::string>& keys, const std::stop_token&) {
                          world.calls.push_back(keys.size());
                          return Result<std::map<std::string, int>>(std::map<std::string, int>{});
                        });
  for (int i = 0; i < 20; ++i) {  // one every 90 ms never leaves the window idle
    world.tasks.push_back(world.sim->spawn("a", [&, i](const std::stop_token& stop) {
      if (world.sim->sleep_for(i * 90ms, stop) == runtime::Wake::kStopped) return;
      EXPECT_TRUE(wide.ask("k" + std::to_string(i), stop));
    }));
  }
  world.sim->run_for(1min);
  EXPECT_THAT(world.calls, ElementsAre(12, 8));
  world.tasks.clear();
}

TEST(CallBatcher, AnErrorIsEverybodys) {
  World world;
  world.broken = true;
  world.ask("a", 0ms);
  world.ask("b", 10ms);
  world.sim->run_for(5s);
  std::sort(world.answers.begin(), world.answers.end());
  EXPECT_THAT(world.answers, ElementsAre("a=error", "b=error"));
}

}  // namespace
}  // namespace tenon::cloud
