// SPDX-License-Identifier: Apache-2.0
#include "aws/adaptive_rate.h"

#include <algorithm>
#include <cmath>

namespace tenon::aws {
namespace {

constexpr Duration kLeastWait = 10ms;

Duration seconds(double s) { return Duration(static_cast<int64_t>(s * 1e9)); }

}  // namespace

Duration AdaptiveRate::admit(bool launch, Duration waited, Instant now) {
  const std::scoped_lock lock(mutex_);
  if (!limited_) return Duration(0);
  refill(now);
  const bool yields = !launch && launches_waiting_ > 0 && waited < kReadPatience;
  const double wanted = 1 + (yields ? launches_waiting_ : 0);
  if (!yields && tokens_ >= wanted) {
    tokens_ -= 1;
    return Duration(0);
  }
  return std::max<Duration>(kLeastWait, seconds((wanted - tokens_) / rate_));
}

void AdaptiveRate::launch_waits(bool begins) {
  const std::scoped_lock lock(mutex_);
  launches_waiting_ += begins ? 1 : -1;
}

void AdaptiveRate::record_outcome(bool throttled, Instant now) {
  const std::scoped_lock lock(mutex_);
  measure(now);
  double wanted = 0;
  if (throttled) {
    last_most_ = limited_ ? std::min(measured_, rate_) : measured_;
    last_throttle_ = now;
    wanted = last_most_ * kRateCut;
    if (!limited_) refilled_ = now;
    limited_ = true;
  } else {
    if (!limited_) return;
    const double flat_at = std::cbrt(last_most_ * (1 - kRateCut) / kRateGrowth);
    const double beyond = in_seconds(now - last_throttle_) - flat_at;
    wanted = kRateGrowth * beyond * beyond * beyond + last_most_;
  }
  refill(now);
  const double most = throttled ? wanted : std::min(wanted, 2 * measured_);
  rate_ = std::max(most, kMinRate);
  capacity_ = std::max(most, 1.0);
  tokens_ = std::min(tokens_, capacity_);
}

double AdaptiveRate::rate() const {
  const std::scoped_lock lock(mutex_);
  return limited_ ? rate_ : 0;
}

void AdaptiveRate::measure(Instant now) {
  ++counted_;
  if (window_ == Instant()) window_ = now;
  const Duration span = now - window_;
  if (span < kMeasuredOver) {
    // The first calls are measured over the shortest span, so that an early throttled call has a rate to cut.
    if (measured_ == 0) measured_ = static_cast<double>(counted_) / in_seconds(kMeasuredOver);
    return;
  }
  const double newest = static_cast<double>(counted_) / in_seconds(span);
  measured_ = newest * kRateSmoothing + measured_ * (1 - kRateSmoothing);
  counted_ = 0;
  window_ = now;
}

void AdaptiveRate::refill(Instant now) {
  tokens_ = std::min(capacity_, tokens_ + in_seconds(now - refilled_) * rate_);
  refilled_ = now;
}

}  // namespace tenon::aws
