// How fast one service may be called, learned from what it refuses: retry mode adaptive. Nothing is held back before
// the first refusal. That one cuts the rate to seven tenths of what was measured; from then on it grows along a cubic
// curve, flat where the service refused last, and steeper when nothing happened there. parity: botocore
// retries/throttling.py Beyond it: who waits to launch goes first, and reads wait behind, though no longer than
// kReadPatience.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>

#include "base/instant.h"

namespace tenon::aws {

inline constexpr double kRateCut = 0.7;        // of the measured rate, after a refusal
inline constexpr double kRateGrowth = 0.4;     // of the cubic, calls a second per s³
inline constexpr double kRateSmoothing = 0.8;  // weight of the newest measurement
inline constexpr double kMinRate = 0.5;        // calls a second
inline constexpr Duration kMeasuredOver = 500ms;
inline constexpr Duration kReadPatience = 5s;  // then a read is as urgent as a launch

// Thread rule: any thread. Times never go back.
class AdaptiveRate {
 public:
  // How long a call has to wait before it asks again; zero: it may go, and has its token.
  Duration admit(bool launch, Duration waited, Instant now);
  // A launch begins or ends to wait: reads stay behind in between.
  void launch_waits(bool begins);
  // What became of a call that was admitted.
  void note(bool throttled, Instant now);

  double rate() const;  // calls a second; 0: not limited yet

 private:
  void measure(Instant now);
  void refill(Instant now);

  mutable std::mutex mutex_;
  bool limited_ = false;
  double rate_ = 0, capacity_ = 1, tokens_ = 0;
  Instant refilled_{};
  double measured_ = 0;  // calls a second
  int64_t counted_ = 0;  // since window_
  Instant window_{};
  double last_most_ = 0;  // the rate at the last refusal
  Instant last_throttle_{};
  int launches_waiting_ = 0;
};

}  // namespace tenon::aws
