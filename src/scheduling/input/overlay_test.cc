// SPDX-License-Identifier: Apache-2.0
// Results that plans cannot contain; the rules of overlays are in tests/scenarios/scheduling/overlay*.yaml.
#include "scheduling/input/overlay.h"

#include <gtest/gtest.h>

namespace tenon::scheduling {
namespace {

// A type without a price from AWS, under an overlay.
model::Offering overlaid(const std::string& price, const std::string& adjustment) {
  model::InstanceType type;
  type.name = "p5e.48xlarge";
  type.labels = {{"node.kubernetes.io/instance-type", {type.name}}};
  type.offerings.push_back(
      {.zone = "us-east-1a", .capacity_type = "on-demand", .available = false, .only_lacks_price = true});
  const auto pool = std::make_shared<model::NodePool>();
  pool->meta.name = "default";
  std::vector<PoolView> pools;
  pools.push_back({pool, std::make_shared<const std::vector<model::InstanceType>>(1, type), {}});
  model::NodeOverlay overlay;
  overlay.meta.name = "contract";
  overlay.requirements = {{"node.kubernetes.io/instance-type", model::Operator::kIn, {type.name}, {}}};
  overlay.price = price;
  overlay.price_adjustment = adjustment;
  EXPECT_TRUE(apply_overlays({overlay}, pools).empty());
  return pools[0].types->front().offerings.front();
}

TEST(Overlay, APriceMakesAvailableWhatLacksNothingElse) {
  const model::Offering offering = overlaid("31.5", "");
  EXPECT_TRUE(offering.available);
  EXPECT_FALSE(offering.only_lacks_price);
  EXPECT_EQ(offering.price, *model::parse_price("31.5"));
}

TEST(Overlay, AnAdjustmentOfNoPriceIsNoPrice) { EXPECT_FALSE(overlaid("", "+10%").available); }

}  // namespace
}  // namespace tenon::scheduling
