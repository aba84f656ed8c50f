// RateLimiter: a token bucket with a wait. Callers are served in the order of their calls.
// Thread rule: any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>

#include "runtime/runtime.h"
#include "runtime/token_bucket.h"

namespace tenon::runtime {

class RateLimiter {
 public:
  // `interval` and `burst` are those of the bucket.
  RateLimiter(Runtime& runtime, Duration interval, int burst) : runtime_(runtime), bucket_(interval, burst) {}

  // Takes a token if one is available.
  bool try_take();
  // Takes the next token, and returns kNotified once it is due. If it is due after the deadline, returns kTimeout at
  // once and takes no token. kStopped returns the token.
  Wake take(Instant deadline, const std::stop_token& stop);

 private:
  Runtime& runtime_;
  std::mutex mutex_;
  TokenBucket bucket_;
};

}  // namespace tenon::runtime
