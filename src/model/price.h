// Prices: int64 pico-dollars (USD) per hour, so that sums are exact in any order. 0.096 USD/h is 96'000'000'000.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/strong.h"

namespace tenon::model {

struct PriceTag;
using Price = Strong<PriceTag>;  // pico-USD per hour

inline constexpr int64_t kPicoPerUsd = 1'000'000'000'000;

// Parses "0.096", "12" or "1e-05", rounded half up to 12 decimals. Returns std::nullopt if the text is not a number,
// negative, or above 9,000,000 USD/h.
std::optional<Price> parse_price(std::string_view usd);
Price price_from_usd(double usd);  // rounded to 1e-9 USD, for JSON documents whose prices are doubles
// Returns the shortest decimal without exponent: "0.096", "0", "-0.0336".
std::string format_usd(Price price);

}  // namespace tenon::model
