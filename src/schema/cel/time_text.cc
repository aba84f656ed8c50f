// SPDX-License-Identifier: Apache-2.0
#include "schema/cel/time_text.h"

#include <fmt/format.h>

#include <charconv>

#include "base/text.h"

namespace tenon::cel {
namespace {

// Removes trailing zeros: "15.678000000" becomes "15.678", "15.000000000" becomes "15".
std::string without_zeros(std::string text) {
  if (text.find('.') == std::string::npos) return text;
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

std::optional<int> two_digits(std::string_view text) {
  if (text.size() != 2 || text[0] < '0' || text[0] > '9' || text[1] < '0' || text[1] > '9') return std::nullopt;
  return (text[0] - '0') * 10 + (text[1] - '0');
}

}  // namespace

std::optional<Duration> parse_duration(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const std::optional<Duration> size = parse_go_duration(text);
  if (!size) return std::nullopt;
  return negative ? -*size : *size;
}

std::string format_duration(Duration d) {
  const int64_t ns = d.count();
  const uint64_t size = ns < 0 ? 0 - static_cast<uint64_t>(ns) : static_cast<uint64_t>(ns);
  const uint64_t second = 1'000'000'000;
  return (ns < 0 ? "-" : "") + without_zeros(fmt::format("{}.{:09}", size / second, size % second)) + "s";
}

std::string format_timestamp(Instant t) {
  const int64_t ns = t.time_since_epoch().count();
  const int64_t second = 1'000'000'000;
  const int64_t fraction = ((ns % second) + second) % second;
  std::string whole = format_rfc3339(t - Duration(fraction));
  whole.pop_back();  // Z
  return without_zeros(fmt::format("{}.{:09}", whole, fraction)) + "Z";
}

std::optional<Duration> parse_offset(std::string_view zone) {
  if (zone.empty() || zone == "UTC") return Duration(0);
  const bool negative = zone[0] == '-';
  if (negative || zone[0] == '+') zone.remove_prefix(1);
  const auto [hours, minutes] = cut(zone, ':');
  const std::optional<int> h = two_digits(hours);
  const std::optional<int> m = two_digits(minutes);
  if (!h || !m) return std::nullopt;
  const Duration offset = std::chrono::hours(*h) + std::chrono::minutes(*m);
  return negative ? -offset : offset;
}

}  // namespace tenon::cel
