// Limits the rate of calls to one service by the throttling that it reports: retry mode adaptive. There is no limit
// before the first throttled call. That call cuts the rate to seven tenths of the measured one; from then on the rate
// grows along a cubic curve, flat near the rate of the last throttling, and steeper beyond it.
// parity: botocore retries/throttling.py
// In addition, waiting launches take precedence over reads, which wait for at most kReadPatience.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>

#include "base/instant.h"

namespace tenon::aws {

inline constexpr double kRateCut = 0.7;        // of the measured rate, after a throttled call
inline constexpr double kRateGrowth = 0.4;     // of the cubic, calls per second per s³
inline constexpr double kRateSmoothing = 0.8;  // weight of the newest measurement
inline constexpr double kMinRate = 0.5;        // calls per second
inline constexpr Duration kMeasuredOver = 500ms;
inline constexpr Duration kReadPatience = 5s;  // afterwards a read is as urgent as a launch

// Thread rule: any thread. Times must not decrease.
class AdaptiveRate {
 public:
  // Returns the wait before the next admit() of a call; zero: the call is admitted and has taken its token.
  Duration admit(bool launch, Duration waited, Instant now);
  // A launch starts or stops waiting; reads yield in between.
  void launch_waits(bool begins);
  // Reports the outcome of an admitted call.
  void record_outcome(bool throttled, Instant now);

  double rate() const;  // calls per second; 0: not limited yet

 private:
  void measure(Instant now);
  void refill(Instant now);

  mutable std::mutex mutex_;
  bool limited_ = false;
  double rate_ = 0, capacity_ = 1, tokens_ = 0;
  Instant refilled_{};
  double measured_ = 0;  // calls per second
  int64_t counted_ = 0;  // since window_
  Instant window_{};
  double last_most_ = 0;  // the rate at the last throttled call
  Instant last_throttle_{};
  int launches_waiting_ = 0;
};

}  // namespace tenon::aws
