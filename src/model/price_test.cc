// SPDX-License-Identifier: Apache-2.0
#include "model/price.h"

#include <gtest/gtest.h>

#include "base/prng.h"

namespace tenon::model {
namespace {

TEST(Price, Parses) {
  const std::pair<const char*, int64_t> rows[] = {
      {"0.096", 96'000'000'000}, {"12", 12 * kPicoPerUsd}, {"1e-05", 10'000'000},        {"1E+2", 100 * kPicoPerUsd},
      {"0", 0},                  {"0.0", 0},               {".5", kPicoPerUsd / 2},      {"0.0000000000014", 1},
      {"0.0000000000015", 2},    {"0.00000000000049", 0},  {"9000000", 9000000 * kPicoPerUsd}, {"1e-30", 0},
  };
  for (const auto& [text, pico] : rows) {
    ASSERT_TRUE(parse_price(text)) << text;
    EXPECT_EQ(parse_price(text)->value(), pico) << text;
  }
  for (const char* text : {"", "-1", "+1", "x", "1.2.3", "1e", "9000001", "1e30", "nan", "0x1", " 1"}) {
    EXPECT_FALSE(parse_price(text)) << text;
  }
}

TEST(Price, FormatsShortestAndReadsBack) {
  EXPECT_EQ(format_usd(Price(96'000'000'000)), "0.096");
  EXPECT_EQ(format_usd(Price(0)), "0");
  EXPECT_EQ(format_usd(Price(-33'600'000'000)), "-0.0336");
  EXPECT_EQ(format_usd(Price(3 * kPicoPerUsd)), "3");
  EXPECT_EQ(format_usd(Price(1)), "0.000000000001");
  Prng prng(3);
  for (int i = 0; i < 2000; ++i) {
    const Price price(prng.between(0, 9'000'000 * kPicoPerUsd));
    EXPECT_EQ(parse_price(format_usd(price)), price);
  }
}

TEST(Price, FromDoubleRoundsToNanoDollars) {
  EXPECT_EQ(price_from_usd(0.013312).value(), 13'312'000'000);
  EXPECT_EQ(price_from_usd(0.1 + 0.2).value(), 300'000'000'000);
  EXPECT_EQ(price_from_usd(-1).value(), 0);
}

}  // namespace
}  // namespace tenon::model
