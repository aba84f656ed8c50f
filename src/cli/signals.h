// SIGINT, SIGTERM and SIGHUP as something to wait for. Make one before the first thread, so that every thread inherits
// the mask. Threads of this process wake the waiting one by wake(), never by a signal.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <optional>

#include "base/instant.h"
#include "http/descriptor.h"

namespace tenon::cli {

class Signals {
 public:
  Signals();
  // The signal; nothing once the time has passed or wake() was called. One thread.
  std::optional<int> wait(Duration at_most) const;
  // From now on wait() returns at once. Any thread.
  void wake() const;
  bool woken() const { return woken_; }

 private:
  http::Descriptor signals_, wake_;
  mutable std::atomic<bool> woken_ = false;
};

}  // namespace tenon::cli
