// Backoff: growing pauses between attempts, with jitter so that many clients do not retry at the same time.
// Thread rule: one thread at a time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "base/instant.h"
#include "base/prng.h"

namespace tenon::runtime {

class Backoff {
 public:
  struct Options {
    Duration first = 100ms;
    Duration max = 30s;
    int jitter_percent = 50;  // each pause is uniform in [pause - jitter, pause]
  };
  explicit Backoff(Options options) : options_(options), next_(std::min(options.first, options.max)) {}

  // Returns the pause before the next attempt: first, 2·first, 4·first, … up to max, minus jitter.
  Duration next(Prng& prng) {
    const Duration pause = next_;
    next_ = pause < options_.max / 2 ? pause * 2 : options_.max;
    return pause - Duration(prng.between(0, pause.count() / 100 * options_.jitter_percent));
  }
  // Call it after a success.
  void reset() { next_ = std::min(options_.first, options_.max); }

 private:
  const Options options_;
  Duration next_;
};

}  // namespace tenon::runtime
