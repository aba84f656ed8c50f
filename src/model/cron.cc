// SPDX-License-Identifier: Apache-2.0
// The grammar and the day rule are those of the library that Karpenter and KEDA use: weekdays are 0-6, "?" means "*",
// and a day matches if both day fields match, or if neither is "*" and one of them matches.
#include "model/cron.h"

#include <array>
#include <charconv>

#include "base/text.h"

namespace tenon::model {
namespace {

constexpr int kHorizonYears = 5;
constexpr std::array<std::string_view, 12> kMonths{"jan", "feb", "mar", "apr", "may", "jun",
                                                   "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::array<std::string_view, 7> kWeekdays{"sun", "mon", "tue", "wed", "thu", "fri", "sat"};
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kDescriptors{{{"@yearly", "0 0 1 1 *"},
                                                                                     {"@annually", "0 0 1 1 *"},
                                                                                     {"@monthly", "0 0 1 * *"},
                                                                                     {"@weekly", "0 0 * * 0"},
                                                                                     {"@daily", "0 0 * * *"},
                                                                                     {"@midnight", "0 0 * * *"},
                                                                                     {"@hourly", "0 * * * *"}}};

struct FieldKind {
  std::string_view name;
  unsigned low, high;
  std::span<const std::string_view> names;  // of `low` and the following values
};

struct Field {
  uint64_t bits = 0;
  bool any = false;  // "*" without a step
};

std::optional<unsigned> number(std::string_view text, const FieldKind& kind) {
  const std::string lower = to_lower(text);
  for (size_t i = 0; i < kind.names.size(); ++i) {
    if (kind.names[i] == lower) return kind.low + static_cast<unsigned>(i);
  }
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

tl::unexpected<Error> bad(const FieldKind& kind, std::string_view text, std::string_view why) {
  return fail(Code::kInvalid,
              "cron field " + std::string(kind.name) + " \"" + std::string(text) + "\": " + std::string(why));
}

Result<Field> parse_part(std::string_view part, const FieldKind& kind) {
  const auto [range, step_text] = cut(part, '/');
  const bool stepped = range.size() != part.size();
  unsigned low = kind.low, high = kind.high, step = 1;
  Field field;
  if (range == "*" || range == "?") {
    field.any = true;
  } else {
    const auto [first, last] = cut(range, '-');
    const auto a = number(first, kind);
    if (!a) return bad(kind, part, "not a number");
    low = *a;
    if (first.size() != range.size()) {
      const auto b = number(last, kind);
      if (!b) return bad(kind, part, "not a number");
      high = *b;
    } else if (!stepped) {
      high = low;
    }
  }
  if (stepped) {
    const auto s = number(step_text, {kind.name, 0, 0, {}});
    if (!s || *s == 0) return bad(kind, part, "the step must be a positive number");
    step = *s;
    if (step > 1) field.any = false;
  }
  if (low < kind.low || high > kind.high) return bad(kind, part, "out of range");
  if (low > high) return bad(kind, part, "the range runs backwards");
  for (unsigned value = low; value <= high; value += step) field.bits |= uint64_t{1} << value;
  return field;
}

Result<Field> parse_field(std::string_view text, const FieldKind& kind) {
  Field field;
  for (const std::string_view part : split(text, ',')) {
    const Field one = TRY(parse_part(part, kind));
    field.bits |= one.bits;
    field.any |= one.any;
  }
  return field;
}

bool has(uint64_t bits, unsigned bit) { return (bits >> bit & 1U) != 0; }

}  // namespace

Result<Cron> Cron::parse(std::string_view text) {
  text = trim(text);
  if (text.starts_with('@')) {
    const std::string_view* found = nullptr;
    for (const auto& [name, fields] : kDescriptors) {
      if (name == text) found = &fields;
    }
    if (found == nullptr) return fail(Code::kInvalid, "cron \"" + std::string(text) + "\": unknown descriptor");
    text = *found;
  }
  std::vector<std::string_view> fields;
  for (const std::string_view field : split(text, ' ')) {
    if (!field.empty()) fields.push_back(field);
  }
  if (fields.size() != 5) {
    return fail(Code::kInvalid,
                "cron \"" + std::string(text) + "\": expected 5 fields, found " + std::to_string(fields.size()));
  }
  const Field minute = TRY(parse_field(fields[0], {"minute", 0, 59, {}}));
  const Field hour = TRY(parse_field(fields[1], {"hour", 0, 23, {}}));
  const Field day = TRY(parse_field(fields[2], {"day of month", 1, 31, {}}));
  const Field month = TRY(parse_field(fields[3], {"month", 1, 12, kMonths}));
  const Field weekday = TRY(parse_field(fields[4], {"day of week", 0, 6, kWeekdays}));
  Cron cron;
  cron.minutes_ = minute.bits;
  cron.hours_ = static_cast<uint32_t>(hour.bits);
  cron.days_ = static_cast<uint32_t>(day.bits);
  cron.months_ = static_cast<uint32_t>(month.bits);
  cron.weekdays_ = static_cast<uint32_t>(weekday.bits);
  cron.any_day_ = day.any;
  cron.any_weekday_ = weekday.any;
  return cron;
}

Instant Cron::next(Instant t) const {
  using std::chrono::days;
  using Day = std::chrono::time_point<Utc, days>;
  const auto minute = std::chrono::floor<std::chrono::minutes>(t) + std::chrono::minutes(1);
  Day day = std::chrono::floor<days>(minute);
  auto in_day = static_cast<unsigned>((minute - day).count());
  const Day last = day + days(366 * kHorizonYears);
  for (; day < last; day += days(1), in_day = 0) {
    const std::chrono::sys_days civil(day.time_since_epoch());
    const std::chrono::year_month_day date(civil);
    if (!has(months_, static_cast<unsigned>(date.month()))) continue;
    const bool by_day = has(days_, static_cast<unsigned>(date.day()));
    const bool by_weekday = has(weekdays_, std::chrono::weekday(civil).c_encoding());
    if (!(any_day_ || any_weekday_ ? by_day && by_weekday : by_day || by_weekday)) continue;
    for (; in_day < 24 * 60; ++in_day) {
      if (has(hours_, in_day / 60) && has(minutes_, in_day % 60)) return Instant(day) + std::chrono::minutes(in_day);
    }
  }
  return kNever;
}

}  // namespace tenon::model
