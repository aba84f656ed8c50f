// When and how soon a failed call is repeated: the SDKs' standard mode. At most kMaxAttempts, exponential back-off with
// full jitter, and a budget of tokens for the whole process, so that a broken service is not hammered.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>

#include "base/instant.h"

namespace tenon::aws {

inline constexpr int kMaxAttempts = 3;
inline constexpr Duration kMaxBackoff = 20s;
inline constexpr int kRetryTokens = 500;  // the whole budget
inline constexpr int kRetryCost = 5;      // of repeating an answered call
inline constexpr int kTimeoutCost = 10;   // of repeating one that never was answered
inline constexpr int kSuccessRefund = 1;  // for a call that succeeded at once

// Thread rule: any thread.
class RetryBudget {
 public:
  // Takes `cost` tokens; false (and takes nothing) if fewer are left.
  bool take(int cost);
  void give(int tokens);
  int left() const;

 private:
  mutable std::mutex mutex_;
  int tokens_ = kRetryTokens;
};

// The pause after the attempt-th failure (1, 2, …): uniform in [0, 2^(attempt-1) s], at most kMaxBackoff; `random` is
// any uniform 64-bit number.
Duration backoff(int attempt, uint64_t random);

}  // namespace tenon::aws
