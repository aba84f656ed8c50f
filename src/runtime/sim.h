// The simulated carrier: actors on fibers (runtime/fiber.h) of one thread, of which exactly one holds the baton. It
// runs until it blocks on a primitive of runtime.h; then the next runnable one is picked with a seeded generator, and
// when none is runnable the virtual clock jumps to the next deadline. Same seed, same trace.
//
//   auto sim = make_sim_runtime({.seed = 7});
//   auto task = sim->spawn("controller", …);            // does not run yet
//   sim->run_for(1h);                                  // from the one thread that owns the SimRuntime
//   EXPECT_EQ(sim->trace_hash(), …);
//
// run_for/run_until are called by the owner thread, on which the actors then run. Every Task must be destroyed before
// the SimRuntime; destroying or joining a Task from the owner thread runs the simulation until that actor ended, and
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
    // Wall time for which the actor with the baton may sleep outside the runtime (a lock that somebody held across a
    // wait, a blocking system call) before the process ends with its name.
    Duration watchdog = 20s;
  };

  // Runs every actor until the virtual clock reaches now() + span, or until no actor can ever run again; the clock then
  // stands at now() + span either way.
  virtual void run_for(Duration span) = 0;
  // Runs until `done` (looked at after every switch, by the owner) returns true, or the span has passed; says which.
  virtual bool run_until(const std::function<bool()>& done, Duration at_most) = 0;
  // A hash over (actor name, time) of every switch so far: equal for equal seeds.
  virtual uint64_t trace_hash() const = 0;
  virtual uint64_t switches() const = 0;
};

std::unique_ptr<SimRuntime> make_sim_runtime(SimRuntime::Options options);

}  // namespace tenon::runtime
