// SPDX-License-Identifier: Apache-2.0
#include "model/quantity.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <vector>

namespace tenon::model {
namespace {

__extension__ using Int128 = __int128;

constexpr int kNanoDigits = 9;
constexpr Int128 kNano = 1'000'000'000;
constexpr Int128 kMilliNanos = 1'000'000;
constexpr Int128 kLimit = Int128{std::numeric_limits<int64_t>::max()} * kNano;
constexpr size_t kMaxTextBytes = 512;
constexpr size_t kMaxIntegerDigits = 19 + kNanoDigits;

struct Suffix {
  std::string_view text;
  int power;  // of ten, or of 1024
  Quantity::Format format;
};
constexpr auto kDecimal = Quantity::Format::kDecimalSI;
constexpr auto kBinary = Quantity::Format::kBinarySI;
constexpr std::array<Suffix, 16> kSuffixes{{{"n", -9, kDecimal},
                                            {"u", -6, kDecimal},
                                            {"m", -3, kDecimal},
                                            {"", 0, kDecimal},
                                            {"k", 3, kDecimal},
                                            {"M", 6, kDecimal},
                                            {"G", 9, kDecimal},
                                            {"T", 12, kDecimal},
                                            {"P", 15, kDecimal},
                                            {"E", 18, kDecimal},
                                            {"Ki", 1, kBinary},
                                            {"Mi", 2, kBinary},
                                            {"Gi", 3, kBinary},
                                            {"Ti", 4, kBinary},
                                            {"Pi", 5, kBinary},
                                            {"Ei", 6, kBinary}}};

tl::unexpected<Error> refuse(std::string_view text, std::string_view why) {
  return fail(Code::kInvalid,
              "\"" + std::string(text.substr(0, kMaxTextBytes)) + "\" is not a quantity: " + std::string(why));
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The digits of a decimal number, most significant first, with the point before the last `scale` of them.
struct Digits {
  std::string digits;
  int64_t scale = 0;

  void times_1024() {
    int carry = 0;
    for (size_t i = digits.size(); i-- > 0;) {
      const int value = (digits[i] - '0') * 1024 + carry;
      digits[i] = static_cast<char>('0' + value % 10);
      carry = value / 10;
    }
    const std::string head = std::to_string(carry);
    if (carry > 0) digits.insert(0, head);
  }
};

// Returns nano-units, rounded away from zero; std::nullopt if the number is out of range.
std::optional<Int128> to_nano(Digits number) {
  number.digits.erase(0, std::min(number.digits.find_first_not_of('0'), number.digits.size()));
  if (number.digits.empty()) return Int128{0};
  const int64_t shift = kNanoDigits - number.scale;
  const int64_t kept = static_cast<int64_t>(number.digits.size()) + shift;
  if (kept > static_cast<int64_t>(kMaxIntegerDigits)) return std::nullopt;
  Int128 value = 0;
  for (int64_t i = 0; i < kept; ++i) {
    const auto at = static_cast<size_t>(i);
    value = value * 10 + (at < number.digits.size() ? number.digits[at] - '0' : 0);
  }
  const size_t tail = kept > 0 ? static_cast<size_t>(kept) : 0;
  if (tail < number.digits.size() && number.digits.find_first_not_of('0', tail) != std::string::npos) ++value;
  if (value > kLimit) return std::nullopt;
  return value;
}

struct Scale {
  int64_t power_of_ten = 0;
  int power_of_1024 = 0;
  Quantity::Format format = kDecimal;
};

std::optional<Scale> parse_suffix(std::string_view text) {
  for (const Suffix& suffix : kSuffixes) {
    if (suffix.text != text) continue;
    if (suffix.format == kBinary) return Scale{0, suffix.power, kBinary};
    return Scale{suffix.power, 0, kDecimal};
  }
  if (text.size() < 2 || (text[0] != 'e' && text[0] != 'E')) return std::nullopt;
  text.remove_prefix(text[1] == '+' ? 2 : 1);
  int exponent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exponent);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return Scale{exponent, 0, Quantity::Format::kDecimalExponent};
}

Int128 divide_ceil(Int128 value, Int128 by) {
  const Int128 quotient = value / by;
  return value % by > 0 ? quotient + 1 : quotient;
}
Int128 divide_floor(Int128 value, Int128 by) {
  const Int128 quotient = value / by;
  return value % by < 0 ? quotient - 1 : quotient;
}
int64_t clamp(Int128 value) {
  constexpr Int128 low = std::numeric_limits<int64_t>::min();
  constexpr Int128 high = std::numeric_limits<int64_t>::max();
  return static_cast<int64_t>(std::clamp(value, low, high));
}

std::string digits_of(Int128 value) {
  std::string text;
  do {
    text.push_back(static_cast<char>('0' + static_cast<int>(value % 10)));
    value /= 10;
  } while (value > 0);
  std::reverse(text.begin(), text.end());
  return text;
}

std::string_view suffix_of(int power, Quantity::Format format) {
  const auto* found = std::find_if(kSuffixes.begin(), kSuffixes.end(),
                                   [&](const Suffix& s) { return s.power == power && s.format == format; });
  return found == kSuffixes.end() ? std::string_view{} : found->text;
}

}  // namespace

Quantity Quantity::from_units(int64_t units, Format format) {
  Quantity q;
  q.nano_ = Nano{units} * kNano;
  q.format_ = format;
  return q;
}

Quantity Quantity::from_milli(int64_t milli, Format format) {
  Quantity q;
  q.nano_ = Nano{milli} * kMilliNanos;
  q.format_ = format;
  return q;
}

int64_t Quantity::ceil_units() const { return clamp(divide_ceil(nano_, kNano)); }
int64_t Quantity::floor_units() const { return clamp(divide_floor(nano_, kNano)); }
int64_t Quantity::ceil_milli() const { return clamp(divide_ceil(nano_, kMilliNanos)); }
int64_t Quantity::floor_milli() const { return clamp(divide_floor(nano_, kMilliNanos)); }

// Uses the largest suffix that leaves an integer. Writes binary quantities below 1024 or with a fraction in decimal.
std::string Quantity::to_string() const {
  if (nano_ == 0) return "0";
  const Nano magnitude = nano_ < 0 ? -nano_ : nano_;
  const std::string sign = nano_ < 0 ? "-" : "";
  if (format_ == Format::kBinarySI && magnitude >= 1024 * kNano && magnitude % kNano == 0) {
    Nano units = magnitude / kNano;
    int power = 0;
    for (; power < 6 && units % 1024 == 0; ++power) units /= 1024;
    const std::string_view suffix = power == 0 ? std::string_view{} : suffix_of(power, kBinary);
    return sign + digits_of(units) + std::string(suffix);
  }
  Nano value = magnitude;
  int power = -kNanoDigits;
  for (; value % 1000 == 0 && power < 18; power += 3) value /= 1000;
  if (format_ != Format::kDecimalExponent) return sign + digits_of(value) + std::string(suffix_of(power, kDecimal));
  return sign + digits_of(value) + (power == 0 ? "" : "e" + std::to_string(power));
}

Result<Quantity> parse_quantity(std::string_view text) {
  if (text.size() > kMaxTextBytes) return refuse(text.substr(0, 32), "it is too long");
  std::string_view rest = text;
  const bool minus = rest.starts_with('-');
  if (minus || rest.starts_with('+')) rest.remove_prefix(1);
  Digits number;
  bool point = false;
  size_t at = 0;
  for (; at < rest.size() && (is_digit(rest[at]) || (rest[at] == '.' && !point)); ++at) {
    if (rest[at] == '.') {
      point = true;
      continue;
    }
    number.digits.push_back(rest[at]);
    if (point) ++number.scale;
  }
  if (number.digits.empty()) return refuse(text, "a number is missing");
  const auto scale = parse_suffix(rest.substr(at));
  if (!scale) {
    return refuse(text, "the suffix must be one of n, u, m, k, M, G, T, P, E, Ki, Mi, Gi, Ti, Pi, Ei or an exponent");
  }
  for (int i = 0; i < scale->power_of_1024; ++i) number.times_1024();
  number.scale -= scale->power_of_ten;
  const auto nano = to_nano(std::move(number));
  if (!nano) return refuse(text, "it is beyond 9223372036854775807");
  Quantity q;
  q.nano_ = minus ? -*nano : *nano;
  q.format_ = scale->format;
  return q;
}

}  // namespace tenon::model
