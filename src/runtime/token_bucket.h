// TokenBucket: holds at most `burst` tokens and gains one every `interval`; it starts full. With a burst of one it
// admits one event in each interval.
// Thread rule: one thread at a time. RateLimiter (rate_limiter.h) is the one for any thread, with a wait.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "base/check.h"
#include "base/instant.h"

namespace tenon::runtime {

class TokenBucket {
 public:
  // `full_at` is that of an earlier bucket, to continue it.
  explicit TokenBucket(Duration interval, int burst = 1, Instant full_at = {})
      : interval_(interval), spare_(interval * (burst - 1)), full_at_(full_at) {
    CHECK(interval > Duration::zero() && burst > 0, "a token bucket that never holds a token");
  }

  // Returns when the next token is available: `now` or later.
  Instant due(Instant now) const { return std::max(now, full_at_ - spare_); }
  // Takes a token if one is available.
  bool try_take(Instant now) {
    if (due(now) > now) return false;
    take(now);
    return true;
  }
  // Takes the next token, which is available at due(now).
  void take(Instant now) { full_at_ = std::max(full_at_, now) + interval_; }
  // Returns the token that was taken last.
  void give_back() { full_at_ -= interval_; }
  // Returns when the bucket is full if no token is taken.
  Instant full_at() const { return full_at_; }

 private:
  Duration interval_, spare_;  // spare_: refill time of all tokens but one
  Instant full_at_;
};

}  // namespace tenon::runtime
