// SIGINT, SIGTERM and SIGHUP as something to wait for. Create it before the first thread, so that every thread inherits
// the mask. Threads of this process wake the waiting one with wake(), never with a signal.
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
  // Returns the signal; std::nullopt once the time is up or wake() was called. One thread.
  std::optional<int> wait(Duration at_most) const;
  // Makes every wait() return at once from now on. Any thread.
  void wake() const;
  bool woken() const { return woken_; }

 private:
  http::Descriptor signals_, wake_;
  mutable std::atomic<bool> woken_ = false;
};

}  // namespace tenon::cli
