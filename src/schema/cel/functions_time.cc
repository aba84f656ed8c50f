// Getters of durations and timestamps.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <chrono>

#include "schema/cel/functions.h"
#include "schema/cel/time_text.h"

namespace tenon::cel {
namespace {

using Days = std::chrono::duration<int64_t, std::ratio<86400>>;

struct Civil {
  std::chrono::year_month_day date;
  std::chrono::weekday weekday;
  Duration of_day;
};

// Returns args[0] as a civil time in the zone args[1] (default: UTC).
Result<Civil> civil(const Call& call) {
  const auto* t = call.args[0].get<Instant>();
  if (!t) return no_such_overload();
  Duration offset{};
  if (call.args.size() > 1) {
    const auto* zone = call.args[1].get<std::string>();
    if (!zone) return no_such_overload();
    const std::optional<Duration> known = parse_offset(*zone);
    if (!known) return eval_error(fmt::format("unknown time zone {}", *zone));
    offset = *known;
  }
  const Duration since = t->time_since_epoch() + offset;
  const auto day = std::chrono::floor<Days>(since);
  const std::chrono::sys_days days{std::chrono::days(static_cast<int>(day.count()))};
  return Civil{std::chrono::year_month_day(days), std::chrono::weekday(days), since - day};
}

template <class Unit>
Value whole(Duration d) {
  return Value(static_cast<int64_t>(std::chrono::duration_cast<Unit>(d).count()));
}

Result<Value> full_year(const Call& call) { return Value(int64_t{static_cast<int>(TRY(civil(call)).date.year())}); }
Result<Value> month(const Call& call) {
  return Value(int64_t{static_cast<unsigned>(TRY(civil(call)).date.month())} - 1);
}
Result<Value> date(const Call& call) { return Value(int64_t{static_cast<unsigned>(TRY(civil(call)).date.day())}); }
Result<Value> day_of_month(const Call& call) {
  return Value(int64_t{static_cast<unsigned>(TRY(civil(call)).date.day())} - 1);
}
Result<Value> day_of_week(const Call& call) { return Value(int64_t{TRY(civil(call)).weekday.c_encoding()}); }
Result<Value> day_of_year(const Call& call) {
  const Civil c = TRY(civil(call));
  const std::chrono::sys_days first{c.date.year() / std::chrono::January / 1};
  return Value(static_cast<int64_t>((std::chrono::sys_days(c.date) - first).count()));
}

// For a duration, returns the whole duration in the unit; for a timestamp, the component of its time of day.
template <class Unit, int64_t Modulus>
Result<Value> part(const Call& call) {
  if (const auto* d = call.args[0].get<Duration>(); d && call.args.size() == 1) return whole<Unit>(*d);
  const Civil c = TRY(civil(call));
  return Value(static_cast<int64_t>(std::chrono::duration_cast<Unit>(c.of_day).count() % Modulus));
}

constexpr Function kTimeFunctions[] = {
    {"getFullYear", true, 1, 2, full_year},
    {"getMonth", true, 1, 2, month},
    {"getDate", true, 1, 2, date},
    {"getDayOfMonth", true, 1, 2, day_of_month},
    {"getDayOfWeek", true, 1, 2, day_of_week},
    {"getDayOfYear", true, 1, 2, day_of_year},
    {"getHours", true, 1, 2, part<std::chrono::hours, 24>},
    {"getMinutes", true, 1, 2, part<std::chrono::minutes, 60>},
    {"getSeconds", true, 1, 2, part<std::chrono::seconds, 60>},
    {"getMilliseconds", true, 1, 2, part<std::chrono::milliseconds, 1000>},
};

}  // namespace

std::span<const Function> time_functions() { return kTimeFunctions; }

}  // namespace tenon::cel
