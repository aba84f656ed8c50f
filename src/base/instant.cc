// SPDX-License-Identifier: Apache-2.0
#include "base/instant.h"

#include <array>
#include <charconv>
#include <utility>

namespace tenon {
namespace {

using std::chrono::days;
using std::chrono::sys_days;

struct Civil {
  int year, month, day, hour, minute, second;
  int64_t nanos;
};

Civil civil(Instant t) {
  const auto since = t.time_since_epoch();
  const auto day = std::chrono::floor<days>(since);
  const std::chrono::year_month_day ymd{sys_days{day}};
  auto rest = since - day;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(rest).count();
  return {int(ymd.year()),
          int(unsigned(ymd.month())),
          int(unsigned(ymd.day())),
          int(seconds / 3600),
          int(seconds / 60 % 60),
          int(seconds % 60),
          (rest - std::chrono::seconds(seconds)).count()};
}

bool digits(std::string_view& text, size_t count, int& out) {
  if (text.size() < count) return false;
  out = 0;
  for (size_t i = 0; i < count; ++i) {
    if (text[i] < '0' || text[i] > '9') return false;
    out = out * 10 + (text[i] - '0');
  }
  text.remove_prefix(count);
  return true;
}

bool one(std::string_view& text, std::string_view any_of) {
  if (text.empty() || any_of.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

bool fraction(std::string_view& text, int64_t& nanos) {
  nanos = 0;
  if (text.empty() || text.front() != '.') return true;
  text.remove_prefix(1);
  int64_t unit = 100'000'000;
  bool any = false;
  while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
    nanos += unit * (text.front() - '0');
    unit /= 10;
    any = true;
    text.remove_prefix(1);
  }
  return any;
}

bool zone_offset(std::string_view& text, std::chrono::seconds& offset) {
  offset = 0s;
  if (one(text, "Zz")) return true;
  const bool minus = !text.empty() && text.front() == '-';
  int hours = 0, minutes = 0;
  if (!one(text, "+-") || !digits(text, 2, hours) || !one(text, ":") || !digits(text, 2, minutes)) return false;
  offset = std::chrono::hours(hours) + std::chrono::minutes(minutes);
  if (minus) offset = -offset;
  return true;
}

// Writes a number into `width` characters of the text, padded with zeros on the left.
void put(std::string& text, size_t at, size_t width, int number) {
  for (size_t i = at + width; i-- > at; number /= 10) text[i] = char('0' + number % 10);
}

std::string date_and_time(const Civil& c) {
  std::string out = "0000-00-00T00:00:00";
  put(out, 0, 4, c.year);
  put(out, 5, 2, c.month);
  put(out, 8, 2, c.day);
  put(out, 11, 2, c.hour);
  put(out, 14, 2, c.minute);
  put(out, 17, 2, c.second);
  return out;
}

}  // namespace

std::string format_rfc3339(Instant t) {
  const Civil c = civil(t);
  std::string out = date_and_time(c);
  out += 'Z';
  return out;
}

std::string format_rfc3339_micro(Instant t) {
  const Civil c = civil(t);
  std::string out = date_and_time(c);
  out += ".000000Z";
  put(out, out.size() - 7, 6, int(c.nanos / 1000));
  return out;
}

std::optional<Instant> parse_rfc3339(std::string_view text) {
  int year, month, day, hour, minute, second;
  int64_t nanos;
  std::chrono::seconds offset;
  if (!digits(text, 4, year) || !one(text, "-") || !digits(text, 2, month) || !one(text, "-") ||
      !digits(text, 2, day) || !one(text, "Tt ") || !digits(text, 2, hour) || !one(text, ":") ||
      !digits(text, 2, minute) || !one(text, ":") || !digits(text, 2, second) || !fraction(text, nanos) ||
      !zone_offset(text, offset) || !text.empty()) {
    return std::nullopt;
  }
  const std::chrono::year_month_day ymd{std::chrono::year(year), std::chrono::month(unsigned(month)),
                                        std::chrono::day(unsigned(day))};
  if (!ymd.ok() || hour > 23 || minute > 59 || second > 59) return std::nullopt;
  const std::chrono::seconds whole = sys_days(ymd).time_since_epoch() + std::chrono::hours(hour) +
                                     std::chrono::minutes(minute) + std::chrono::seconds(second) - offset;
  constexpr auto kMostSeconds = std::chrono::floor<std::chrono::seconds>(Duration::max()) - std::chrono::seconds(1);
  if (whole > kMostSeconds) return Instant::max();
  if (whole < -kMostSeconds) return Instant::min();
  return Instant(Duration(whole) + Duration(nanos));
}

std::optional<Duration> parse_go_duration(std::string_view text) {
  if (text == "0") return Duration(0);
  if (text.empty()) return std::nullopt;
  static constexpr std::array<std::pair<std::string_view, int64_t>, 7> kUnits{{{"ns", 1},
                                                                               {"us", 1'000},
                                                                               {"ms", 1'000'000},
                                                                               {"µs", 1'000},
                                                                               {"h", 3'600'000'000'000},
                                                                               {"m", 60'000'000'000},
                                                                               {"s", 1'000'000'000}}};
  int64_t total = 0;
  while (!text.empty()) {
    int64_t whole = 0, nanos = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), whole);
    if (error != std::errc() || whole < 0 || text.front() == '-') return std::nullopt;
    text.remove_prefix(size_t(end - text.data()));
    if (!fraction(text, nanos)) return std::nullopt;
    bool matched = false;
    for (const auto& [name, unit] : kUnits) {
      if (!text.starts_with(name)) continue;
      text.remove_prefix(name.size());
      int64_t part = 0;
      if (__builtin_mul_overflow(whole, unit, &part) || __builtin_add_overflow(total, part, &total)) {
        return std::nullopt;
      }
      const auto rest = int64_t(__int128(nanos) * unit / 1'000'000'000);
      if (__builtin_add_overflow(total, rest, &total)) return std::nullopt;
      matched = true;
      break;
    }
    if (!matched) return std::nullopt;
  }
  return Duration(total);
}

std::string format_go_duration(Duration d) {
  int64_t ns = d.count();
  if (ns == 0) return "0s";
  std::string out = ns < 0 ? "-" : "";
  if (ns < 0) ns = -ns;
  const auto decimal = [](int64_t value, int64_t unit) {
    std::string text = std::to_string(value / unit);
    std::string rest = std::to_string(unit + value % unit).substr(1);
    while (!rest.empty() && rest.back() == '0') rest.pop_back();
    return rest.empty() ? text : text + "." + rest;
  };
  if (ns < 1'000) return out + std::to_string(ns) + "ns";
  if (ns < 1'000'000) return out + decimal(ns, 1'000) + "µs";
  if (ns < 1'000'000'000) return out + decimal(ns, 1'000'000) + "ms";
  const int64_t minutes = ns / 60'000'000'000;
  if (minutes >= 60) out += std::to_string(minutes / 60) + "h";
  if (minutes > 0) out += std::to_string(minutes % 60) + "m";
  return out + decimal(ns % 60'000'000'000, 1'000'000'000) + "s";
}

std::string format_age(Duration d) {
  const int64_t s = std::chrono::duration_cast<std::chrono::seconds>(d).count();
  const auto join = [](int64_t a, const char* unit_a, int64_t b, const char* unit_b) {
    std::string out = std::to_string(a) + unit_a;
    if (b > 0) out += std::to_string(b) + unit_b;
    return out;
  };
  if (s < 0) return "0s";
  const int64_t m = s / 60, h = m / 60, days_count = h / 24;
  if (s < 120) return std::to_string(s) + "s";
  if (m < 10) return join(m, "m", s % 60, "s");
  if (h < 3) return std::to_string(m) + "m";
  if (h < 8) return join(h, "h", m % 60, "m");
  if (h < 48) return std::to_string(h) + "h";
  if (h < 192) return join(days_count, "d", h % 24, "h");
  if (days_count < 730) return std::to_string(days_count) + "d";
  return join(days_count / 365, "y", days_count % 365, "d");
}

}  // namespace tenon
