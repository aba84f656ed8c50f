// SPDX-License-Identifier: Apache-2.0
#include "cloud/aws_provider/types/market_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "log/testing/capture.h"

namespace tenon::cloud {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(MarketMetrics, SayOnceThatPricesAreOld) {
  metrics::Registry registry;
  std::vector<std::string> said;
  MarketMetrics market(&registry, log::testing::messages_to(said));
  market.show_ages({.on_demand = 1h, .spot = 23h});
  EXPECT_THAT(said, IsEmpty());
  market.show_ages({.on_demand = 1h, .spot = 25h});
  market.show_ages({.on_demand = 1h, .spot = 26h});
  EXPECT_THAT(said, ElementsAre("the spot prices are 25h0m0s old: AWS does not answer, and decisions go by the last "
                                "ones known"));
  EXPECT_THAT(registry.text(), HasSubstr("tenon_cloudprovider_price_age_seconds{source=\"spot\"} 93600\n"));
  market.show_ages({.on_demand = {}, .spot = 1min});
  EXPECT_EQ(said.back(), "the spot prices are fresh again");
  EXPECT_EQ(said.size(), 2u);
  EXPECT_THAT(registry.text(), HasSubstr("source=\"on-demand\"} 3600\n"));  // same as the last one
}

TEST(MarketMetrics, ShowTypesAndOfferings) {
  metrics::Registry registry;
  MarketMetrics market(&registry, {});
  model::InstanceType type;
  type.name = "m5.large";
  type.capacity = {{"cpu", 2000}, {"memory", 1024}};
  model::Offering offering;
  offering.zone = "a";
  offering.capacity_type = "spot";
  offering.price = *model::parse_price("0.25");
  type.offerings = {offering};
  market.show("default", std::make_shared<const std::vector<model::InstanceType>>(std::vector{type}));
  const std::string labels = "{capacity_type=\"spot\",zone=\"a\",instance_type=\"m5.large\"} ";
  const std::string prefix = "karpenter_cloudprovider_instance_type_";
  EXPECT_THAT(registry.text(), HasSubstr(prefix + "cpu_cores{instance_type=\"m5.large\"} 2\n"));
  EXPECT_THAT(registry.text(), HasSubstr(prefix + "memory_bytes{instance_type=\"m5.large\"} 1024\n"));
  EXPECT_THAT(registry.text(), HasSubstr(prefix + "offering_available" + labels + "1\n"));
  EXPECT_THAT(registry.text(), HasSubstr(prefix + "offering_price_estimate" + labels + "0.25\n"));
  MarketMetrics(nullptr, {}).show("default", nullptr);  // without a registry nothing is exported
}

TEST(MarketMetrics, AtStandardDetailTheAvailableTypesAreCounted) {
  metrics::Registry registry(metrics::Detail::kStandard);
  MarketMetrics market(&registry, {});
  std::vector<model::InstanceType> types;
  for (const char* name : {"m5.large", "m5.xlarge", "c5.large"}) {
    model::InstanceType& type = types.emplace_back();
    type.name = name;
    for (const char* zone : {"a", "b"}) {
      model::Offering offering;
      offering.zone = zone;
      offering.capacity_type = "spot";
      offering.available = std::string_view(zone) == "a" && type.name != "c5.large";
      type.offerings.push_back(offering);
    }
  }
  const auto list = std::make_shared<const std::vector<model::InstanceType>>(types);
  market.show("default", list);
  market.show("gpu", std::make_shared<const std::vector<model::InstanceType>>(types));
  const std::string text = registry.text();
  const std::string name = "karpenter_cloudprovider_instance_type_offering_available";
  EXPECT_THAT(text, HasSubstr(name + "{capacity_type=\"spot\",zone=\"a\"} 2\n"));
  EXPECT_THAT(text, HasSubstr(name + "{capacity_type=\"spot\",zone=\"b\"} 0\n"));
  EXPECT_THAT(text, Not(HasSubstr("instance_type=")));
}

TEST(MarketMetrics, UserDataIsNewsWhenItsSizeChanges) {
  metrics::Registry registry;
  MarketMetrics market(&registry, {});
  EXPECT_TRUE(market.show_user_data("default", 10));
  EXPECT_FALSE(market.show_user_data("default", 10));
  EXPECT_TRUE(market.show_user_data("default", 11));
  market.forget("default");
  EXPECT_THAT(registry.text(), Not(HasSubstr("nodeclass=\"default\"")));
}

}  // namespace
}  // namespace tenon::cloud
