// Retries of failed calls, in the modes of AWS's SDKs. All use exponential back-off with full jitter, and
//   legacy     five attempts
//   standard   three, and a token budget for the whole process, which limits the load on a failing service
//   adaptive   as standard, with a limit on the rate of calls (adaptive_rate.h)
// In addition to the SDKs, the last part of the budget is reserved for launches, so that reads, which repeat anyway, do
// not spend it. parity: botocore retries/standard.py, retryhandler.py
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
inline constexpr int kRetryTokens = 500;      // the total budget
inline constexpr int kKeptForLaunches = 100;  // the part reserved for launches
inline constexpr int kRetryCost = 5;          // retry of a call with a response
inline constexpr int kTimeoutCost = 10;       // retry of a call without a response
inline constexpr int kSuccessRefund = 1;      // for a call that succeeds without a retry

enum class RetryMode { kLegacy, kStandard, kAdaptive };
struct RetryPolicy {
  RetryMode mode = RetryMode::kStandard;
  int max_attempts = kMaxAttempts;
};
// From AWS_RETRY_MODE and AWS_MAX_ATTEMPTS. Errors: kInvalid, with the variable.
Result<RetryPolicy> retry_policy(const Environment& environment);

// Returns true for the calls that launch a node: CreateFleet, and the calls that it depends on.
bool is_launch(std::string_view action);

// Thread rule: any thread.
class RetryBudget {
 public:
  // Takes `cost` tokens. Returns false and takes none if fewer are left; kKeptForLaunches tokens count for launches
  // only.
  bool take(int cost, bool launch);
  void give(int tokens);
  int left() const;

 private:
  mutable std::mutex mutex_;
  int tokens_ = kRetryTokens;
};

// Returns the pause after the attempt-th failure (1, 2, …): uniform in [0, 2^(attempt-1) s], at most kMaxBackoff.
// `random` is a uniform 64-bit number.
Duration backoff(int attempt, uint64_t random);

}  // namespace tenon::aws
