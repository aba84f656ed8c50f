// The simulated runtime: actors are fibers (runtime/fiber.h) of one thread; exactly one of them runs. It runs until it
// blocks on a primitive of runtime.h; then a seeded generator picks the next runnable actor. When none is runnable, the
// virtual clock jumps to the next deadline. Same seed, same trace.
//
//   auto sim = make_sim_runtime({.seed = 7});
//   auto task = sim->spawn("controller", …);            // does not run yet
//   sim->run_for(1h);                                  // from the one thread that owns the SimRuntime
//   EXPECT_EQ(sim->trace_hash(), …);
//
// The owner thread calls run_for/run_until, and the actors run on it. Every Task must be destroyed before the
// SimRuntime. Destroying or joining a Task from the owner thread runs the simulation until that actor has ended;
// waiting there (Event::wait, sleep_until) runs it until the wait is over. Between runs the owner may spawn and notify.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "runtime/runtime.h"

namespace tenon::runtime {

class SimRuntime : public Runtime {
 public:
  struct Options {
    uint64_t seed = 1;
    Instant start{Duration(1'788'264'000'000'000'000)};  // 2026-09-01T12:00:00Z
    // Wall time for which the running actor may sleep outside the runtime (on a lock that was held across a wait, in a
    // blocking system call) before the process ends with the actor's name.
    Duration watchdog = 20s;
  };

  // Runs the actors until the virtual clock reaches now() + span, or until no actor can run again. Either way, the
  // clock then shows now() + span.
  virtual void run_for(Duration span) = 0;
  // Runs until `done` (checked after every switch, by the owner) returns true, or the span has passed; returns which.
  virtual bool run_until(const std::function<bool()>& done, Duration at_most) = 0;
  // Returns a hash over (actor name, time) of every switch so far: equal for equal seeds.
  virtual uint64_t trace_hash() const = 0;
  virtual uint64_t switches() const = 0;
};

std::unique_ptr<SimRuntime> make_sim_runtime(SimRuntime::Options options);

}  // namespace tenon::runtime
