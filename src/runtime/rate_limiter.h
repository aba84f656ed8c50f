// RateLimiter: a token bucket that holds `burst` tokens and gains one every `interval`. Callers are served in the order
// of their calls.
// Thread rule: any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>

#include "runtime/runtime.h"

namespace tenon::runtime {

class RateLimiter {
 public:
  RateLimiter(Runtime& runtime, Duration interval, int burst);

  // Takes a token if one is available.
  bool try_take();
  // Takes the next token, and returns kNotified once it is due. If it is due after the deadline, returns kTimeout at
  // once and takes no token. kStopped returns the token.
  Wake take(Instant deadline, const std::stop_token& stop);

 private:
  Instant due(Instant now) const;  // the due time of the next token; needs mutex_

  Runtime& runtime_;
  const Duration interval_, spare_;  // spare_: refill time of all tokens but one
  std::mutex mutex_;
  Instant full_at_{};  // when the bucket is full if no token is taken
};

}  // namespace tenon::runtime
