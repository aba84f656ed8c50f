// Gate: at most `capacity` holders at once. Waiting callers enter when a pass is returned, in no particular order.
//
//   Gate gate(runtime, kMaxCallsInFlight);
//   auto pass = gate.enter(deadline, stop);
//   if (!pass) return …;      // the deadline passed, or stop was requested
//
// Thread rule: any thread. The Gate must outlive its passes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "base/check.h"
#include "runtime/runtime.h"

namespace tenon::runtime {

class Gate {
 public:
  class Pass {
   public:
    Pass(Pass&& other) noexcept : gate_(std::exchange(other.gate_, nullptr)) {}
    Pass& operator=(Pass&& other) noexcept {
      std::swap(gate_, other.gate_);
      return *this;
    }
    ~Pass() {
      if (gate_ != nullptr) gate_->leave();
    }

   private:
    friend class Gate;
    explicit Pass(Gate* gate) : gate_(gate) {}
    Gate* gate_;
  };

  Gate(Runtime& runtime, size_t capacity) : changed_(runtime.make_event()), free_(capacity) {
    CHECK(capacity > 0, "a gate that lets nobody in");
  }

  std::optional<Pass> enter(Instant deadline, const std::stop_token& stop) {
    while (true) {
      const uint64_t seen = changed_->version();
      {
        const std::lock_guard lock(mutex_);
        if (stop.stop_requested()) return std::nullopt;
        if (free_ > 0) {
          --free_;
          return Pass(this);
        }
      }
      if (changed_->wait(seen, deadline, stop) != Wake::kNotified) return std::nullopt;
    }
  }

 private:
  void leave() {
    {
      const std::lock_guard lock(mutex_);
      ++free_;
    }
    changed_->notify();
  }

  const std::unique_ptr<Event> changed_;
  std::mutex mutex_;
  size_t free_;
};

}  // namespace tenon::runtime
