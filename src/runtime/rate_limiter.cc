// SPDX-License-Identifier: Apache-2.0
#include "runtime/rate_limiter.h"

#include <algorithm>

#include "base/check.h"

namespace tenon::runtime {

RateLimiter::RateLimiter(Runtime& runtime, Duration interval, int burst)
    : runtime_(runtime), interval_(interval), spare_(interval * (burst - 1)) {
  CHECK(interval > Duration::zero() && burst > 0, "a rate limiter that lets nothing through");
}

Instant RateLimiter::due(Instant now) const { return std::max(now, full_at_ - spare_); }

bool RateLimiter::try_take() {
  const std::lock_guard lock(mutex_);
  const Instant now = runtime_.now();
  if (due(now) > now) return false;
  full_at_ = std::max(full_at_, now) + interval_;
  return true;
}

Wake RateLimiter::take(Instant deadline, const std::stop_token& stop) {
  if (stop.stop_requested()) return Wake::kStopped;
  Instant when;
  {
    const std::lock_guard lock(mutex_);
    const Instant now = runtime_.now();
    when = due(now);
    if (when > deadline) return Wake::kTimeout;
    full_at_ = std::max(full_at_, now) + interval_;
    if (when <= now) return Wake::kNotified;
  }
  if (runtime_.sleep_until(when, stop) == Wake::kTimeout) return Wake::kNotified;
  const std::lock_guard lock(mutex_);
  full_at_ -= interval_;
  return Wake::kStopped;
}

}  // namespace tenon::runtime
