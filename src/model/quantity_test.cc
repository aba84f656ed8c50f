// SPDX-License-Identifier: Apache-2.0
#include "model/quantity.h"

#include <gtest/gtest.h>

#include "base/prng.h"

namespace tenon::model {
namespace {

struct Row {
  const char* text;
  int64_t ceil_units, ceil_milli;
  const char* canonical;
};

TEST(Quantity, ParsesEverySuffix) {
  const Row rows[] = {
      {"0", 0, 0, "0"},
      {"00", 0, 0, "0"},
      {"-0", 0, 0, "0"},
      {"1", 1, 1000, "1"},
      {"+1", 1, 1000, "1"},
      {"1n", 1, 1, "1n"},
      {"1u", 1, 1, "1u"},
      {"1500m", 2, 1500, "1500m"},
      {"1.5", 2, 1500, "1500m"},
      {".5", 1, 500, "500m"},
      {"5.", 5, 5000, "5"},
      {"2k", 2000, 2'000'000, "2k"},
      {"2000", 2000, 2'000'000, "2k"},
      {"3M", 3'000'000, 3'000'000'000, "3M"},
      {"1G", 1'000'000'000, 1'000'000'000'000, "1G"},
      {"1T", 1'000'000'000'000, 1'000'000'000'000'000, "1T"},
      {"1P", 1'000'000'000'000'000, 1'000'000'000'000'000'000, "1P"},
      {"1E", 1'000'000'000'000'000'000, INT64_MAX, "1E"},
      {"1Ki", 1024, 1'024'000, "1Ki"},
      {"0.5Ki", 512, 512'000, "512"},
      {"1.5Gi", 1610612736, 1610612736000, "1536Mi"},
      {"1Mi", 1 << 20, 1'048'576'000, "1Mi"},
      {"1Ti", 1LL << 40, (1LL << 40) * 1000, "1Ti"},
      {"1Pi", 1LL << 50, (1LL << 50) * 1000, "1Pi"},
      {"7Ei", 7LL << 60, INT64_MAX, "7Ei"},
      {"0.1Gi", 107374183, 107374182400, "107374182400m"},
      {"2e3", 2000, 2'000'000, "2e3"},
      {"2E3", 2000, 2'000'000, "2e3"},
      {"2e+3", 2000, 2'000'000, "2e3"},
      {"1e-3", 1, 1, "1e-3"},
      {"1.23e4", 12300, 12'300'000, "12300"},
      {"2.147483648e+09", 2147483648, 2147483648000, "2147483648"},
      {"-1500m", -1, -1500, "-1500m"},
      {"-1Gi", -1073741824, -1073741824000, "-1Gi"},
      {"3167538380800m", 3167538381, 3167538380800, "3167538380800m"},
      {"0.0000000001", 1, 1, "1n"},          // below nano: up
      {"-0.0000000001", 0, 0, "-1n"},        // away from zero
      {"1.0000000000000000000001", 2, 1001, "1000000001n"},
      {"1000000000000000000000000n", 1'000'000'000'000'000, 1'000'000'000'000'000'000, "1P"},
      {"9223372036854775807", INT64_MAX, INT64_MAX, "9223372036854775807"},
      {"0e99999", 0, 0, "0"},
  };
  for (const Row& row : rows) {
    const auto q = parse_quantity(row.text);
    ASSERT_TRUE(q) << row.text << ": " << q.error().message;
    EXPECT_EQ(q->ceil_units(), row.ceil_units) << row.text;
    EXPECT_EQ(q->ceil_milli(), row.ceil_milli) << row.text;
    EXPECT_EQ(q->to_string(), row.canonical) << row.text;
  }
}

TEST(Quantity, RefusesWhatIsNoQuantity) {
  for (const char* text : {"", ".", "-", "+", "m", "1.2.3", "1 ", " 1", "1K", "1mi", "1am", "1i", "1e", "1e-", "1e1.5",
                           "1Zi", "0x10", "1,5", "--1", "1e3Mi", "NaN", "Inf", "1_000", "9223372036854775808", "8Ei",
                           "1e19", "1e2147483648", "-9223372036854775808.1"}) {
    const auto q = parse_quantity(text);
    ASSERT_FALSE(q) << text;
    EXPECT_EQ(q.error().code, Code::kInvalid);
    EXPECT_NE(q.error().message.find("is not a quantity"), std::string::npos) << q.error().message;
  }
}

TEST(Quantity, FloorsAndCeilings) {
  const Quantity q = *parse_quantity("-1.0005");
  EXPECT_EQ(q.floor_units(), -2);
  EXPECT_EQ(q.ceil_units(), -1);
  EXPECT_EQ(q.floor_milli(), -1001);
  EXPECT_EQ(q.ceil_milli(), -1000);
  EXPECT_TRUE(q.negative());
  EXPECT_EQ(Quantity::from_units(1536, Quantity::Format::kBinarySI).to_string(), "1536");
  EXPECT_EQ(Quantity::from_units(2048, Quantity::Format::kBinarySI).to_string(), "2Ki");
  EXPECT_EQ(Quantity::from_milli(2500).to_string(), "2500m");
}

// A printed amount is read back as the same amount, in every format, and the order follows the amounts.
TEST(Quantity, CanonicalTextReadsBack) {
  Prng prng(7);
  const char* suffixes[] = {"n", "u", "m", "", "k", "M", "G", "Ki", "Mi", "Gi", "Ti", "e3", "e-2", "E1"};
  Quantity before;
  for (int i = 0; i < 20000; ++i) {
    const int64_t whole = prng.between(-9999, 9999);
    std::string text = std::to_string(whole);
    if (prng.chance(1, 2)) text += "." + std::to_string(prng.below(1'000'000));
    text += suffixes[prng.below(std::size(suffixes))];
    const auto q = parse_quantity(text);
    ASSERT_TRUE(q) << text;
    const auto again = parse_quantity(q->to_string());
    ASSERT_TRUE(again) << text << " wrote " << q->to_string();
    ASSERT_EQ(*again, *q) << text << " wrote " << q->to_string();
    EXPECT_EQ(again->to_string(), q->to_string()) << text;
    EXPECT_LE(q->floor_milli(), q->ceil_milli());
    EXPECT_LE(q->ceil_milli() - q->floor_milli(), 1);
    EXPECT_TRUE(!(*q < before) || q->ceil_milli() <= before.ceil_milli());
    before = *q;
  }
}

}  // namespace
}  // namespace tenon::model
