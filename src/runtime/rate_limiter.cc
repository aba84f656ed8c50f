// SPDX-License-Identifier: Apache-2.0
#include "runtime/rate_limiter.h"

namespace tenon::runtime {

bool RateLimiter::try_take() {
  const std::lock_guard lock(mutex_);
  return bucket_.try_take(runtime_.now());
}

Wake RateLimiter::take(Instant deadline, const std::stop_token& stop) {
  if (stop.stop_requested()) return Wake::kStopped;
  Instant when;
  {
    const std::lock_guard lock(mutex_);
    const Instant now = runtime_.now();
    when = bucket_.due(now);
    if (when > deadline) return Wake::kTimeout;
    bucket_.take(now);
    if (when <= now) return Wake::kNotified;
  }
  if (runtime_.sleep_until(when, stop) == Wake::kTimeout) return Wake::kNotified;
  const std::lock_guard lock(mutex_);
  bucket_.give_back();
  return Wake::kStopped;
}

}  // namespace tenon::runtime
