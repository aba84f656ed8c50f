// SPDX-License-Identifier: Apache-2.0
#include "catalog/price_file.h"

#include <gtest/gtest.h>

#include "catalog/plan_catalog.h"

namespace tenon::catalog {
namespace {

TEST(PriceFile, SaysWhichKeyIsWrong) {
  const std::pair<const char*, const char*> cases[] = {
      {"[]", "must be one mapping with multipliers and commitments"},
      {"discounts: []", "discounts: there is no such key; there are multipliers, commitments"},
      {"multipliers: 3", "multipliers: must be a list"},
      {"multipliers: [3]", "multipliers[0]: must be a mapping"},
      {"multipliers: [{family: m5}]", "multipliers[0].factor: is missing"},
      {"multipliers: [{factor: 1}, {factor: cheap}]", "multipliers[1].factor: must be a number"},
      {"multipliers: [{factor: -1}]", "multipliers[0].factor: must be a number from 0 to 10"},
      {"multipliers: [{factor: 1, famly: m5}]",
       "multipliers[0].famly: there is no such key; there are instanceType, family, capacityType, region, factor"},
      {"multipliers: [{factor: 1, capacityType: ondemand}]",
       "multipliers[0].capacityType: must be on-demand, spot or reserved"},
      {"multipliers: [{factor: 1, family: 5}]", "multipliers[0].family: must be a text"},
      {"commitments: [{}]", "commitments[0].kind: must be ReservedInstance or SavingsPlan"},
      {"commitments: [{kind: ReservedInstance, instanceType: m5}]",
       "commitments[0].instanceType: must be an instance type such as m5.large"},
      {"commitments: [{kind: ReservedInstance, instanceType: m5.large}]",
       "commitments[0].count: must be a number from 1 to 1000000"},
      {"commitments: [{kind: ReservedInstance, instanceType: m5.large, count: 1, rate: 1}]",
       "commitments[0].rate: is for a SavingsPlan"},
      {"commitments: [{kind: SavingsPlan, usdPerHour: 1, zone: us-east-1a}]",
       "commitments[0].zone: is for a ReservedInstance"},
      {"commitments: [{kind: SavingsPlan}]", "commitments[0].usdPerHour: must be an amount of USD above 0"},
      {"commitments: [{kind: SavingsPlan, usdPerHour: 1, rate: 0}]", "commitments[0].rate: must be above 0"},
      {"commitments: [{kind: SavingsPlan, usdPerHour: 1, until: tomorrow}]",
       "commitments[0].until: must be a time such as 2027-01-01T00:00:00Z"},
  };
  for (const auto& [text, message] : cases) {
    const auto file = parse_price_file(text);
    ASSERT_FALSE(file) << text;
    EXPECT_EQ(file.error().code, Code::kInvalid);
    EXPECT_EQ(file.error().message, message) << text;
  }
  EXPECT_NE(parse_price_file("a: [").error().message.find("line "), std::string::npos);
  EXPECT_TRUE(parse_price_file("multipliers: []\ncommitments:\n")->empty());
}

constexpr const char* kRegion = "us-east-1";
const Instant kNow = *parse_rfc3339("2026-09-01T12:00:00Z");

// "price saved" of an on-demand offering in us-east-1a, in USD; saved only if it differs from the price.
std::string price(const std::string& file, const std::vector<RunningInstances>& running, const std::string& name,
                  std::string_view capacity_type = "on-demand", std::string_view zone = "us-east-1a") {
  std::vector<model::InstanceType> types = demo_catalog().types;
  const auto parsed = parse_price_file(file);
  EXPECT_TRUE(parsed) << parsed.error().message;
  apply_price_file(*parsed, kRegion, running, kNow, types);
  for (const model::InstanceType& type : types) {
    if (type.name != name) continue;
    for (const model::Offering& o : type.offerings) {
      if (o.capacity_type != capacity_type || o.zone != zone) continue;
      const bool same = !o.saved || *o.saved == o.price;
      return model::format_usd(o.price) + (same ? "" : " " + model::format_usd(*o.saved));
    }
  }
  return "none";
}

TEST(PriceFile, MultipliersCombine) {
  const std::string file =
      "multipliers:\n- {factor: 0.9}\n- {family: m5, capacityType: on-demand, factor: 0.5}\n"
      "- {instanceType: c5.large, factor: 2}\n- {region: eu-west-1, factor: 7}\n";
  EXPECT_EQ(price(file, {}, "m5.large"), "0.0432");                         // 0.096 × 0.9 × 0.5
  EXPECT_EQ(price(file, {}, "m6i.large"), "0.0864");                        // 0.096 × 0.9
  EXPECT_EQ(price(file, {}, "c5.large"), "0.153");                          // 0.085 × 0.9 × 2
  EXPECT_EQ(price(file, {}, "m5.large", "spot", "us-east-1d"), "0.02592");  // 0.0288 × 0.9
}

// 0.096 USD an hour; a tiny part remains of a price that is paid for anyway.
TEST(PriceFile, ReservedInstancesAreUsedUp) {
  const std::string zonal =
      "commitments: [{kind: ReservedInstance, instanceType: m5.large, zone: us-east-1a, count: 2}]";
  const auto large = [](int64_t count, const char* zone = "us-east-1a") {
    return RunningInstances{"m5.large", zone, count};
  };
  EXPECT_EQ(price(zonal, {}, "m5.large"), "0.0000000096 0.096");
  EXPECT_EQ(price(zonal, {large(1)}, "m5.large"), "0.0000000096 0");
  EXPECT_EQ(price(zonal, {large(2)}, "m5.large"), "0.096 0");
  EXPECT_EQ(price(zonal, {large(3)}, "m5.large"), "0.096");
  EXPECT_EQ(price(zonal, {large(3, "us-east-1b")}, "m5.large"), "0.0000000096 0.096");
  EXPECT_EQ(price(zonal, {}, "m5.large", "on-demand", "us-east-1b"), "0.096");
  EXPECT_EQ(price(zonal, {}, "m5.xlarge"), "0.192");
  EXPECT_EQ(price(zonal, {}, "m5.large", "spot", "us-east-1d"), "0.0288");

  // Without a zone any size of the family counts, by its share: four large equal two xlarge.
  const std::string regional = "commitments: [{kind: ReservedInstance, instanceType: m5.large, count: 4}]";
  EXPECT_EQ(price(regional, {large(2, "us-east-1b")}, "m5.xlarge"), "0.0000000192 0.192");
  EXPECT_EQ(price(regional, {large(3, "us-east-1b")}, "m5.xlarge"), "0.096 0.192");  // half of it is left
  EXPECT_EQ(price(regional, {large(3)}, "m6i.xlarge"), "0.192");
}

TEST(PriceFile, SavingsPlansAreMoney) {
  // 0.12 USD an hour pay for usage at 60 % of the list price: 2.08 m5.large.
  const std::string plan = "commitments: [{kind: SavingsPlan, family: m5, usdPerHour: 0.12, rate: 0.6}]";
  EXPECT_EQ(price(plan, {{"m5.large", "us-east-1b", 1}}, "m5.large"), "0.0000000096 0.096");
  EXPECT_EQ(price(plan, {{"m5.large", "us-east-1a", 2}}, "m5.large"), "0.088000032 0");
  EXPECT_EQ(price(plan, {{"m5.large", "us-east-1a", 9}}, "m5.large"), "0.096");
  EXPECT_EQ(price(plan, {}, "m6i.large"), "0.096");
  const std::string compute = "commitments: [{kind: SavingsPlan, usdPerHour: 1}]";
  EXPECT_EQ(price(compute, {}, "m6i.large"), "0.0000000096 0.096");
}

TEST(PriceFile, WhatIsOverOrElsewhereCountsForNothing) {
  EXPECT_EQ(price("commitments: [{kind: SavingsPlan, usdPerHour: 1, until: 2026-09-01T12:00:00Z}]", {}, "m5.large"),
            "0.096");
  EXPECT_EQ(price("commitments: [{kind: SavingsPlan, usdPerHour: 1, region: eu-west-1}]", {}, "m5.large"), "0.096");
  EXPECT_EQ(price("commitments: [{kind: SavingsPlan, usdPerHour: 1, until: 2026-09-01T12:00:01Z}]", {}, "m5.large"),
            "0.0000000096 0.096");
}

// A discount on the list price applies to usage that no commitment covers; a plan counts list prices.
TEST(PriceFile, CommitmentsStandBesideMultipliers) {
  const std::string both =
      "multipliers: [{factor: 0.5}]\ncommitments: [{kind: ReservedInstance, instanceType: m5.large, count: 1}]";
  EXPECT_EQ(price(both, {{"m5.large", "us-east-1a", 1}}, "m5.large"), "0.048 0");
}

// The cheapest type of EC2's price list is no longer the cheapest with the price file: launches must state it.
TEST(PriceFile, PricesThatSteerAreMarked) {
  const auto marked = [](const std::string& text, const std::string& name) {
    auto types = demo_catalog().types;
    apply_price_file(*parse_price_file(text), kRegion, {}, kNow, types);
    return std::any_of(types.begin(), types.end(),
                       [&](const model::InstanceType& t) { return t.name == name && t.price_overlaid; });
  };
  EXPECT_FALSE(marked("multipliers: [{factor: 0.5}]", "m5.large"));
  EXPECT_TRUE(marked("multipliers: [{family: m5, factor: 0.5}]", "m5.large"));
  EXPECT_FALSE(marked("multipliers: [{family: m5, factor: 0.5}]", "c5.large"));
  EXPECT_TRUE(marked("commitments: [{kind: SavingsPlan, family: m5, usdPerHour: 1}]", "m5.large"));
}

}  // namespace
}  // namespace tenon::catalog
