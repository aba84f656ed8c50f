// The live carrier: std::jthread and the system's clock.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "runtime/runtime.h"

namespace tenon::runtime {

// `speed` > 1 makes this runtime's clock run faster than the wall clock (`tenon demo --speed`), from the moment of the
// call on. advance() jumps it (`tenon demo advance 720h`) and wakes whoever waits for a time that has passed.
class LiveRuntime : public Runtime {
 public:
  virtual void advance(Duration span) = 0;
};

std::unique_ptr<LiveRuntime> make_live_runtime(double speed = 1.0);

}  // namespace tenon::runtime
