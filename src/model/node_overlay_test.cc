// SPDX-License-Identifier: Apache-2.0
#include "model/node_overlay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tenon::model {
namespace {

NodeOverlay with_price(std::string price, std::string adjustment) {
  NodeOverlay overlay;
  overlay.price = std::move(price);
  overlay.price_adjustment = std::move(adjustment);
  return overlay;
}

TEST(NodeOverlay, PricesAreReplacedAddedToAndMultiplied) {
  struct Row {
    const char *price, *adjustment, *before, *after;
  };
  const std::vector<Row> table = {
      {"0.05", "", "0.2", "0.05"},
      {"0", "", "0.2", "0"},
      {"", "", "0.2", "0.2"},
      {"", "+0.02", "0.2", "0.22"},
      {"", "-0.02", "0.2", "0.18"},
      {"", "-.5", "0.2", "0"},
      {"", "-10%", "0.2", "0.18"},
      {"", "+150%", "0.2", "0.5"},
      {"", "-100%", "0.2", "0"},
      {"", "-12.5%", "0.08", "0.07"},
      {"", "+0%", "0.2", "0.2"},
      {"", "-33%", "0.000000000001", "0.000000000001"},
      {"", "+8000000%", "9000000", "9223372.036854775807"},
  };
  for (const Row& row : table) {
    const NodeOverlay overlay = with_price(row.price, row.adjustment);
    ASSERT_TRUE(validate(overlay)) << row.price << row.adjustment;
    EXPECT_EQ(format_usd(overlaid_price(overlay, *parse_price(row.before))), row.after)
        << row.price << row.adjustment << " on " << row.before;
  }
}

TEST(NodeOverlay, WhatCannotBeHonouredIsNamed) {
  NodeOverlay heavy, negative, many, empty;
  heavy.weight = 10'001;
  negative.capacity.set("example.com/device", -1);
  many.requirements.assign(101, {"team", Operator::kExists, {}, std::nullopt});
  empty.requirements = {{"team", Operator::kNotIn, {}, std::nullopt}};
  const std::vector<std::pair<NodeOverlay, std::string>> table = {
      {with_price("1", "+1"), "spec: cannot set both"},
      {with_price("1.", ""), "spec.price: "},
      {with_price(".5", ""), "spec.price: "},
      {with_price("1e2", ""), "spec.price: "},
      {with_price("-1", ""), "spec.price: "},
      {with_price("", "5"), "spec.priceAdjustment: "},
      {with_price("", "+"), "spec.priceAdjustment: "},
      {with_price("", "%"), "spec.priceAdjustment: "},
      {with_price("", "+1e2"), "spec.priceAdjustment: "},
      {with_price("", "-101%"), "spec.priceAdjustment: "},
      {heavy, "spec.weight: must be between 1 and 10000"},
      {negative, "spec.capacity.example.com/device: is negative"},
      {many, "spec.requirements: at most 100"},
      {empty, "spec.requirements[0]: key team with operator NotIn must have a value"},
  };
  for (const auto& [overlay, message] : table) {
    const Status valid = validate(overlay);
    ASSERT_FALSE(valid) << message;
    EXPECT_THAT(valid.error().message, testing::StartsWith(message));
  }
}

}  // namespace
}  // namespace tenon::model
