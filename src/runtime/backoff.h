// Backoff: pauses between attempts that double with each failure, up to a maximum. Jitter, where many clients would
// retry at the same time, is the caller's: it draws from the caller's random numbers. Thread rule: one thread at a
// time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "base/instant.h"

namespace tenon::runtime {

// Returns the pause after the failure of number `failures` (1, 2, 3, …): first, 2·first, 4·first, … up to max. Zero
// without a failure.
constexpr Duration backoff_pause(Duration first, Duration max, int failures) {
  if (failures == 0) return Duration::zero();
  Duration pause = std::min(first, max);
  for (int i = 1; i < failures && pause < max; ++i) pause = pause < max / 2 ? pause * 2 : max;
  return pause;
}

class Backoff {
 public:
  struct Options {
    Duration first = 100ms;
    Duration max = 30s;
  };
  explicit Backoff(Options options) : options_(options) {}

  // Counts a failure and returns the pause before the next attempt.
  Duration next() {
    last_ = last_ == Duration::zero() ? backoff_pause(options_.first, options_.max, 1)
                                      : backoff_pause(last_, options_.max, 2);
    return last_;
  }
  // Call it after a success.
  void reset() { last_ = Duration::zero(); }

 private:
  Options options_;
  Duration last_{};  // zero: no failure since the last success
};

}  // namespace tenon::runtime
