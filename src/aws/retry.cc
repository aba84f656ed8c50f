// SPDX-License-Identifier: Apache-2.0
#include "aws/retry.h"

#include <algorithm>

namespace tenon::aws {

bool RetryBudget::take(int cost) {
  const std::scoped_lock lock(mutex_);
  if (tokens_ < cost) return false;
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
  constexpr int kMaxShift = 5;  // 2^5 s is already above kMaxBackoff
  const Duration ceiling = std::min<Duration>(kMaxBackoff, Duration(1s) * (1 << std::min(attempt - 1, kMaxShift)));
  const auto span = static_cast<uint64_t>(ceiling.count()) + 1;
  return Duration(static_cast<int64_t>(random % span));
}

}  // namespace tenon::aws
