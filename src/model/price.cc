// SPDX-License-Identifier: Apache-2.0
#include "model/price.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace tenon::model {
namespace {

__extension__ using Unsigned128 = unsigned __int128;

constexpr double kMaxUsd = 9'000'000;
constexpr double kNanoPerUsd = 1e9;
constexpr int kPicoDigits = 12;

}  // namespace

std::optional<Price> parse_price(std::string_view usd) {
  if (usd.empty() || usd.size() > 64) return std::nullopt;
  size_t at = 0;
  std::string digits;
  int64_t scale = 0;
  bool point = false;
  for (; at < usd.size() && usd[at] != 'e' && usd[at] != 'E'; ++at) {
    if (usd[at] == '.' && !point) {
      point = true;
    } else if (usd[at] >= '0' && usd[at] <= '9') {
      digits.push_back(usd[at]);
      scale += point ? 1 : 0;
    } else {
      return std::nullopt;
    }
  }
  if (digits.empty()) return std::nullopt;
  if (at < usd.size()) {
    std::string_view text = usd.substr(at + 1);
    if (text.starts_with('+')) text.remove_prefix(1);
    int exponent = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exponent);
    if (error != std::errc{} || end != text.data() + text.size() || exponent > 64 || exponent < -64)
      return std::nullopt;
    scale -= exponent;
  }
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  const int64_t kept = static_cast<int64_t>(digits.size()) + kPicoDigits - scale;
  if (digits.empty() || kept < 0) return Price{};
  if (kept > 19) return std::nullopt;
  Unsigned128 value = 0;
  for (int64_t i = 0; i < kept; ++i) {
    const auto digit = static_cast<size_t>(i);
    value = value * 10 + static_cast<unsigned>(digit < digits.size() ? digits[digit] - '0' : 0);
  }
  const auto next = static_cast<size_t>(kept);
  if (next < digits.size() && digits[next] >= '5') ++value;
  if (value > static_cast<Unsigned128>(kMaxUsd) * static_cast<Unsigned128>(kPicoPerUsd)) return std::nullopt;
  return Price(static_cast<int64_t>(value));
}

Price price_from_usd(double usd) {
  if (!(usd > 0)) return Price{};
  const double nano = std::round(std::min(usd, kMaxUsd) * kNanoPerUsd);
  return Price(static_cast<int64_t>(nano) * (kPicoPerUsd / 1'000'000'000));
}

std::string format_usd(Price price) {
  const bool minus = price.value() < 0;
  const uint64_t value = minus ? 0 - static_cast<uint64_t>(price.value()) : static_cast<uint64_t>(price.value());
  std::string text = std::to_string(value / static_cast<uint64_t>(kPicoPerUsd));
  std::string fraction = std::to_string(value % static_cast<uint64_t>(kPicoPerUsd));
  fraction.insert(0, static_cast<size_t>(kPicoDigits) - fraction.size(), '0');
  fraction.erase(fraction.find_last_not_of('0') + 1);
  if (!fraction.empty()) text += "." + fraction;
  return minus ? "-" + text : text;
}

}  // namespace tenon::model
