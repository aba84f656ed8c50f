// SPDX-License-Identifier: Apache-2.0
#include "aws/retry.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "runtime/backoff.h"

namespace tenon::aws {

Result<RetryPolicy> retry_policy(const Environment& environment) {
  RetryPolicy policy;
  const std::string mode = to_lower(environment("AWS_RETRY_MODE"));
  if (mode == "legacy") {
    policy = {RetryMode::kLegacy, kLegacyMaxAttempts};
  } else if (mode == "adaptive") {
    policy.mode = RetryMode::kAdaptive;
  } else if (!mode.empty() && mode != "standard") {
    return fail(Code::kInvalid, "AWS_RETRY_MODE: '" + mode + "' is none of legacy, standard and adaptive");
  }
  const std::string attempts = environment("AWS_MAX_ATTEMPTS");
  if (attempts.empty()) return policy;
  const auto [end, problem] = std::from_chars(attempts.data(), attempts.data() + attempts.size(), policy.max_attempts);
  if (problem != std::errc() || end != attempts.data() + attempts.size() || policy.max_attempts < 1) {
    return fail(Code::kInvalid, "AWS_MAX_ATTEMPTS: '" + attempts + "' is no number from 1 on");
  }
  return policy;
}

bool is_launch(std::string_view action) { return action == "CreateFleet" || action == "CreateLaunchTemplate"; }

bool RetryBudget::take(int cost, bool launch) {
  const std::scoped_lock lock(mutex_);
  if (tokens_ - (launch ? 0 : kKeptForLaunches) < cost) return false;
  tokens_ -= cost;
  return true;
}

void RetryBudget::give(int tokens) {
  const std::scoped_lock lock(mutex_);
  tokens_ = std::min(kRetryTokens, tokens_ + tokens);
}

int RetryBudget::left() const {
  const std::scoped_lock lock(mutex_);
  return tokens_;
}

Duration backoff(int attempt, uint64_t random) {
  const Duration ceiling = runtime::backoff_pause(1s, kMaxBackoff, attempt);
  const auto span = static_cast<uint64_t>(ceiling.count()) + 1;
  return Duration(static_cast<int64_t>(random % span));
}

}  // namespace tenon::aws
