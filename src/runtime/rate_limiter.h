// RateLimiter: a token bucket that holds `burst` tokens and gains one every `interval`. Callers are served in the order
// in which they ask.
// Thread rule: any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>

#include "runtime/runtime.h"

namespace tenon::runtime {

class RateLimiter {
 public:
  RateLimiter(Runtime& runtime, Duration interval, int burst);

  // Takes a token if there is one now.
  bool try_take();
  // Takes the next token, and returns kNotified once it is due. If it is due after the deadline: kTimeout at once, and
  // no token is taken. kStopped gives the token back.
  Wake take(Instant deadline, const std::stop_token& stop);

 private:
  Instant due(Instant now) const;  // when the next token can be had; needs mutex_

  Runtime& runtime_;
  const Duration interval_, spare_;  // spare_: the time that a full bucket is ahead by
  std::mutex mutex_;
  Instant full_at_{};  // when the bucket would be full if nobody took another token
};

}  // namespace tenon::runtime
