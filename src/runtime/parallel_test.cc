// SPDX-License-Identifier: Apache-2.0
#include "runtime/parallel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "log/scope.h"
#include "runtime/sim.h"

namespace tenon::runtime {
namespace {

TEST(InParallel, EveryJobOnceAndNoMoreAtOnceThanAsked) {
  const auto sim = make_sim_runtime({});
  std::vector<int> done(25);
  int at_once = 0, most = 0;
  const Instant begun = sim->now();
  in_parallel(*sim, "job", 10, done.size(),
              [&](size_t i, const std::stop_token& stop) {
                most = std::max(most, ++at_once);
                sim->sleep_for(1s, stop);
                --at_once;
                ++done[i];
              },
              {});
  EXPECT_EQ(done, std::vector<int>(25, 1));
  EXPECT_EQ(most, 10);
  EXPECT_EQ(sim->now() - begun, 3s);
}

TEST(InParallel, TheJobsShareTheScopeOfTheLog) {
  const auto sim = make_sim_runtime({});
  const log::Scope scope({.controller = "own"});
  int shared = 0;
  in_parallel(*sim, "job", 4, 12,
              [&](size_t, const std::stop_token& stop) {
                sim->sleep_for(1s, stop);
                shared += log::Scope::current() == &scope ? 1 : 0;
              },
              {});
  EXPECT_EQ(shared, 12);
}

TEST(InParallel, NothingToDo) {
  const auto sim = make_sim_runtime({});
  in_parallel(*sim, "job", 10, 0, [](size_t, const std::stop_token&) { FAIL(); }, {});
}

TEST(InParallel, AStopReachesTheJobs) {
  const auto sim = make_sim_runtime({});
  int stopped = 0;
  auto caller = sim->spawn("caller", [&](const std::stop_token& stop) {
    in_parallel(
        *sim, "job", 3, 5,
        [&](size_t, const std::stop_token& own_stop) {
          stopped += sim->sleep_for(1h, own_stop) == Wake::kStopped ? 1 : 0;
        },
        stop);
  });
  sim->run_for(1min);
  caller->request_stop();
  sim->run_for(1s);
  EXPECT_EQ(stopped, 5);
}

}  // namespace
}  // namespace tenon::runtime
