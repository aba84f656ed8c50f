// SPDX-License-Identifier: Apache-2.0
#include "json/yaml_scalar.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "json/json.h"
#include "json/letters.h"

namespace tenon::json {
namespace {

template <size_t N>
bool one_of(std::string_view text, const std::string_view (&words)[N]) {
  return std::find(std::begin(words), std::end(words), text) != std::end(words);
}

constexpr std::string_view kTrue[] = {"y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"};
constexpr std::string_view kFalse[] = {"n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"};
constexpr std::string_view kNull[] = {"", "~", "null", "Null", "NULL"};
constexpr std::string_view kInfinite[] = {".inf",  ".Inf",  ".INF",  "+.inf", "+.Inf", "+.INF",
                                          "-.inf", "-.Inf", "-.INF", ".nan",  ".NaN",  ".NAN"};

// As Go's ParseInt/ParseUint with base 0: 0x, 0o, 0b and a leading 0 select the base.
std::optional<value> parse_integer(std::string_view text) {
  bool negative = false;
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  int base = 10;
  if (text.size() > 1 && text[0] == '0') {
    const char kind = static_cast<char>(text[1] | 0x20);
    base = kind == 'x' ? 16 : kind == 'b' ? 2 : 8;
    text.remove_prefix(kind == 'x' || kind == 'b' || kind == 'o' ? 2 : 1);
  }
  uint64_t magnitude = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), magnitude, base);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
  constexpr uint64_t kMax = uint64_t(std::numeric_limits<int64_t>::max());
  if (negative) {
    if (magnitude > kMax + 1) return std::nullopt;
    return value(static_cast<int64_t>(0 - magnitude));
  }
  return magnitude > kMax ? value(magnitude) : value(static_cast<int64_t>(magnitude));
}

// [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?
bool looks_like_float(std::string_view text) {
  size_t i = 0;
  const auto digits = [&] {
    const size_t from = i;
    while (i < text.size() && is_digit(text[i])) ++i;
    return i - from;
  };
  if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
  if (i < text.size() && text[i] == '.') {
    ++i;
    if (digits() == 0) return false;
  } else {
    if (digits() == 0) return false;
    if (i < text.size() && text[i] == '.') {
      ++i;
      digits();
    }
  }
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
    if (digits() == 0) return false;
  }
  return i == text.size();
}

std::optional<value> parse_float(std::string_view text) {
  if (!looks_like_float(text)) return std::nullopt;
  if (text[0] == '+') text.remove_prefix(1);
  double d = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), d);
  // A number that is too small becomes zero; one that is too large stays text.
  if (error == std::errc::result_out_of_range && text.find_first_of("eE") + 1 == text.find('-', 1)) return value(0);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  // JSON does not distinguish 1000.0 from 1000, and readers of a count expect an integer.
  constexpr double kExact = 9.2e18;
  if (std::trunc(d) == d && std::fabs(d) < kExact) return value(static_cast<int64_t>(d));
  return value(d);
}

}  // namespace

value resolve_yaml_scalar(std::string_view text, bool* infinite) {
  if (one_of(text, kNull)) return nullptr;
  if (one_of(text, kTrue)) return true;
  if (one_of(text, kFalse)) return false;
  if (one_of(text, kInfinite)) {
    if (infinite) *infinite = true;
    return value(text);
  }
  if (!is_digit(text[0]) && text[0] != '+' && text[0] != '-' && text[0] != '.') return value(text);
  std::string plain(text);
  std::erase(plain, '_');
  if (text[0] != '.') {
    if (std::optional<value> integer = parse_integer(plain)) return *std::move(integer);
  }
  if (std::optional<value> number = parse_float(plain)) return *std::move(number);
  return value(text);
}

}  // namespace tenon::json
