// Points in time (UTC) and durations, in nanoseconds. Pure rooms receive an Instant; only runtime/live reads a clock.
// The parsers return std::nullopt for malformed text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tenon {

using Duration = std::chrono::nanoseconds;
using namespace std::chrono_literals;  // 5s, 10min, 720h: durations read better with their unit

struct Utc {
  using rep = Duration::rep;
  using period = Duration::period;
  using duration = Duration;
  using time_point = std::chrono::time_point<Utc, Duration>;
  static constexpr bool is_steady = false;
};
using Instant = std::chrono::time_point<Utc, Duration>;

// For metrics.
constexpr double in_seconds(Duration d) { return std::chrono::duration<double>(d).count(); }

inline constexpr Instant kNever = Instant::max();

template <class T>
class Result;

// Returns "2026-09-01T12:00:00Z": whole seconds, as metav1.Time.
std::string format_rfc3339(Instant t);
// Returns "2026-09-01T12:00:00.123456Z", as metav1.MicroTime.
std::string format_rfc3339_micro(Instant t);
// Accepts fractions and offsets. Times that an Instant cannot hold (about before 1678 or after 2261) are clamped to
// Instant::min() or Instant::max().
std::optional<Instant> parse_rfc3339(std::string_view text);
// Parses Go's duration syntax: "720h", "1m30s", "300ms", "0". No sign, no days.
std::optional<Duration> parse_go_duration(std::string_view text);
// As Go prints it: "1h0m0s", "1m30s", "300ms", "0s".
std::string format_go_duration(Duration d);
// As kubectl prints ages: "5s", "3m20s", "10m", "2d4h".
std::string format_age(Duration d);

}  // namespace tenon
