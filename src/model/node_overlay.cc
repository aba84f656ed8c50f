// SPDX-License-Identifier: Apache-2.0
#include "model/node_overlay.h"

#include <algorithm>
#include <array>

namespace tenon::model {
namespace {

__extension__ using Wide = __int128;

constexpr size_t kMostRequirements = 100;
constexpr int kMostWeight = 10'000;
constexpr int64_t kHundred = 100;
// Resources that an overlay must not change, because the scheduler and the kubelet account for them.
constexpr std::array<std::string_view, 4> kOwnResources{kCpu, kMemory, kEphemeralStorage, kPods};

Status wrong(const std::string& path, std::string why) { return fail(Code::kInvalid, path + ": " + std::move(why)); }

struct Adjustment {
  bool minus = false, percent = false;
  Price amount;  // USD, or percent points
};

// Parses digits with at most one point; no exponent.
std::optional<Price> plain_number(std::string_view text) {
  const auto of_number = [](char c) { return (c >= '0' && c <= '9') || c == '.'; };
  return std::all_of(text.begin(), text.end(), of_number) ? parse_price(text) : std::nullopt;
}

std::optional<Adjustment> parse_adjustment(std::string_view text) {
  Adjustment a;
  if (!text.starts_with('+') && !text.starts_with('-')) return std::nullopt;
  a.minus = text.starts_with('-');
  a.percent = text.ends_with('%');
  text.remove_prefix(1);
  if (a.percent) text.remove_suffix(1);
  const auto amount = plain_number(text);
  if (!amount) return std::nullopt;
  a.amount = *amount;
  if (a.minus && a.percent && a.amount.value() > kHundred * kPicoPerUsd) return std::nullopt;
  return a;
}

Status check_prices(const NodeOverlay& overlay) {
  if (!overlay.price.empty() && !overlay.price_adjustment.empty()) {
    return wrong("spec", "cannot set both 'price' and 'priceAdjustment'");
  }
  if (!overlay.price.empty()) {
    const bool digits_outside = overlay.price.front() != '.' && overlay.price.back() != '.';
    if (!digits_outside || !plain_number(overlay.price))
      return wrong("spec.price", "\"" + overlay.price + "\" is not an amount of USD such as 0.05");
  }
  if (!overlay.price_adjustment.empty() && !parse_adjustment(overlay.price_adjustment)) {
    return wrong("spec.priceAdjustment",
                 "\"" + overlay.price_adjustment + "\" is not a change such as +0.02, -0.02, +5% or -5%");
  }
  return ok();
}

}  // namespace

Status validate(const NodeOverlay& overlay) {
  if (overlay.requirements.size() > kMostRequirements)
    return wrong("spec.requirements", "at most " + std::to_string(kMostRequirements) + " are allowed");
  for (size_t i = 0; i < overlay.requirements.size(); ++i) {
    const std::string path = "spec.requirements[" + std::to_string(i) + "]";
    TRY_IN(path, validate(overlay.requirements[i]));
    if (overlay.requirements[i].op == Operator::kNotIn && overlay.requirements[i].values.empty())
      return wrong(path, "key " + overlay.requirements[i].key + " with operator NotIn must have a value defined");
  }
  TRY(check_prices(overlay));
  for (const auto& [name, amount] : overlay.capacity.entries()) {
    if (std::find(kOwnResources.begin(), kOwnResources.end(), name) != kOwnResources.end())
      return wrong("spec.capacity." + name, "invalid resource restricted");
    if (amount < 0) return wrong("spec.capacity." + name, "is negative");
  }
  if (overlay.weight < 0 || overlay.weight > kMostWeight)
    return wrong("spec.weight", "must be between 1 and " + std::to_string(kMostWeight));
  return ok();
}

Price overlaid_price(const NodeOverlay& overlay, Price price) {
  if (!overlay.price.empty()) return parse_price(overlay.price).value_or(price);
  const auto a = parse_adjustment(overlay.price_adjustment);
  if (!a) return price;
  Wide amount = a->amount.value();
  if (a->percent) {
    constexpr Wide kWhole = Wide{kHundred} * kPicoPerUsd;
    amount = (amount * price.value() + kWhole / 2) / kWhole;
  }
  const Wide result = Wide{price.value()} + (a->minus ? -amount : amount);
  constexpr Wide kMost = INT64_MAX;
  return Price(static_cast<int64_t>(std::clamp<Wide>(result, 0, kMost)));
}

}  // namespace tenon::model
