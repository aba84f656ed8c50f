// The live runtime: std::jthread and the system's clock.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "runtime/runtime.h"

namespace tenon::runtime {

// `speed` > 1 makes this runtime's clock run faster than the wall clock (`tenon demo --speed`), starting at the call.
// advance() jumps the clock (`tenon demo advance 720h`) and wakes the waiters whose deadline has passed.
class LiveRuntime : public Runtime {
 public:
  virtual void advance(Duration span) = 0;
};

std::unique_ptr<LiveRuntime> make_live_runtime(double speed = 1.0);

}  // namespace tenon::runtime
