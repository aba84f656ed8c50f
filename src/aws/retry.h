// When and how soon a failed call is repeated, in the modes that AWS's SDKs have. Exponential back-off with full jitter
// in all of them, and
//   legacy     five attempts
//   standard   three, and a budget of tokens for the whole process, so that a broken service is not hammered
//   adaptive   as standard; and what is sent is held to the rate that the service bears (adaptive_rate.h)
// Beyond the SDKs: the last part of the budget is for launches alone. Reads, which come again by themselves, never
// spend what the next node needs. parity: botocore retries/standard.py, retryhandler.py
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <string_view>

#include "aws/environment.h"
#include "base/instant.h"

namespace tenon::aws {

inline constexpr int kMaxAttempts = 3;
inline constexpr int kLegacyMaxAttempts = 5;
inline constexpr Duration kMaxBackoff = 20s;
inline constexpr int kRetryTokens = 500;      // the whole budget
inline constexpr int kKeptForLaunches = 100;  // of it
inline constexpr int kRetryCost = 5;          // of repeating an answered call
inline constexpr int kTimeoutCost = 10;       // of repeating one that never was answered
inline constexpr int kSuccessRefund = 1;      // for a call that succeeded at once

enum class RetryMode { kLegacy, kStandard, kAdaptive };
struct RetryPolicy {
  RetryMode mode = RetryMode::kStandard;
  int max_attempts = kMaxAttempts;
};
// By AWS_RETRY_MODE and AWS_MAX_ATTEMPTS. Errors: kInvalid, naming the variable.
Result<RetryPolicy> retry_policy(const Environment& environment);

// The calls that bring a node: CreateFleet and what it needs made first.
bool is_launch(std::string_view action);

// Thread rule: any thread.
class RetryBudget {
 public:
  // Takes `cost` tokens; false (and takes nothing) if fewer are left, for what is no launch beside kKeptForLaunches.
  bool take(int cost, bool launch);
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
