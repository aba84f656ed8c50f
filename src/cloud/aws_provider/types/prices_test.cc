// SPDX-License-Identifier: Apache-2.0
#include "cloud/aws_provider/types/prices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aws/endpoints.h"
#include "aws/testing/canned.h"
#include "json/json.h"
#include "log/testing/capture.h"

namespace tenon::cloud {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

struct Wire : aws::testing::CannedClient {
  aws::Ec2 ec2{client};
};

TEST(Prices, StartFromTheEmbeddedListAndAskAgain) {
  Wire wire;
  aws::Pricing pricing(wire.client);
  std::vector<std::string> said;
  Prices prices({wire.ec2, pricing, wire.runtime}, {"us-east-1", true, log::testing::messages_to(said)});
  wire.transport.fallback = [](const http::Request&) -> Result<http::Response> { return fail(Code::kInvalid, "down"); };
  EXPECT_EQ(prices.book()->on_demand_price("m5.large"), model::parse_price("0.096"));
  EXPECT_THAT(wire.transport.requests, IsEmpty()) << "reading the book asks nobody";
  EXPECT_EQ(prices.known(), nullptr);
  prices.refresh({});
  EXPECT_EQ(prices.known(), prices.book());
  const auto embedded = prices.book();
  ASSERT_TRUE(embedded->on_demand_price("m5.large"));
  EXPECT_EQ(embedded->spot_price("m5.large", "us-east-1a"), embedded->on_demand_price("m5.large"));
  EXPECT_FALSE(embedded->on_demand_price("no.such"));
  ASSERT_EQ(said.size(), 2u);
  EXPECT_THAT(said[0], StartsWith("the on-demand prices are the built-in ones: AWS does not answer: "));
  EXPECT_THAT(said[1], StartsWith("the spot prices are taken to be those on demand: AWS does not answer: "));
  const size_t asked = wire.transport.requests.size();
  prices.refresh({});
  EXPECT_EQ(wire.transport.requests.size(), asked);
  wire.runtime.advance(kPriceRetry);
  EXPECT_EQ(prices.ages().on_demand, kPriceRetry);  // since the start
  EXPECT_EQ(prices.ages().spot, kPriceRetry);
  wire.transport.fallback = [](const http::Request& request) -> Result<http::Response> {
    if (request.url.find("pricing") != std::string::npos) {
      return http::Response{200,
                            {},
                            R"({"PriceList":["{\"product\":{\"attributes\":{\"instanceType\":\"m5.large\"}},)"
                            R"(\"terms\":{\"OnDemand\":{\"a\":{\"priceDimensions\":{\"b\":{\"pricePerUnit\":)"
                            R"({\"USD\":\"0.5\"}}}}}}}"]})"};
    }
    return http::Response{200,
                          {},
                          "<R><spotPriceHistorySet><item><instanceType>m5.large</instanceType><availabilityZone>"
                          "us-east-1a</availabilityZone><spotPrice>0.2</spotPrice></item></spotPriceHistorySet></R>"};
  };
  prices.refresh({});
  const auto fresh = prices.book();
  EXPECT_THAT(said, SizeIs(4));
  EXPECT_EQ(said[2], "the on-demand prices are AWS's now");
  EXPECT_EQ(said[3], "the spot prices are AWS's now");
  EXPECT_EQ(fresh->on_demand_price("m5.large"), model::parse_price("0.5"));
  EXPECT_EQ(fresh->spot_price("m5.large", "us-east-1a"), model::parse_price("0.2"));
  EXPECT_FALSE(fresh->spot_price("m5.large", "us-east-1b"));  // not offered there
  EXPECT_NE(fresh->version, embedded->version);
  EXPECT_EQ(embedded->on_demand.size(), 0u);  // a book does not change under its reader
  EXPECT_EQ(prices.ages().on_demand, Duration());
  EXPECT_FALSE(Prices({wire.ec2, pricing, wire.runtime}, {"us-gov-west-1", false}).ages().on_demand);
  // A later refresh that fails keeps the book, and is retried soon.
  wire.transport.fallback = [](const http::Request&) -> Result<http::Response> { return fail(Code::kInvalid, "down"); };
  wire.runtime.advance(kPriceTtl);
  prices.refresh({});
  EXPECT_EQ(prices.book()->on_demand_price("m5.large"), model::parse_price("0.5"));
  EXPECT_EQ(prices.ages().spot, kPriceTtl);
  const size_t before = wire.transport.requests.size();
  wire.runtime.advance(kPriceRetry);
  prices.refresh({});
  EXPECT_GT(wire.transport.requests.size(), before);
  EXPECT_THAT(said, SizeIs(4));  // the last known prices are AWS's
}

// Prices of another region: the answers of Pricing and EC2.
struct PricedWorld {
  explicit PricedWorld(const std::string& region, std::vector<std::string> products = {}, std::string spot = "")
      : client({transport, runtime, *credentials},
               {.region = region, .environment = [](const std::string&) { return std::string(); }, .observer = {}}),
        prices({ec2, pricing, runtime},
               {region, !aws::pricing_region(region).empty(), log::testing::messages_to(said)}) {
    transport.fallback = [this, products, spot](const http::Request& request) -> Result<http::Response> {
      if (request.url.find("pricing") == std::string::npos) {
        return http::Response{200, {}, "<R><spotPriceHistorySet>" + spot + "</spotPriceHistorySet></R>"};
      }
      if (products.empty()) return fail(Code::kUnavailable, "down");
      json::array list;
      for (const std::string& product : products) list.emplace_back(product);
      return http::Response{200, {}, json::to_string(json::value(json::object{{"PriceList", std::move(list)}}))};
    };
    prices.refresh({});
  }
  static std::string product(const std::string& type, const std::string& currency, const std::string& price) {
    return R"({"product":{"attributes":{"instanceType":")" + type +
           R"("}},"terms":{"OnDemand":{"a":{"priceDimensions":{"b":{"pricePerUnit":{")" + currency + R"(":")" + price +
           R"("}}}}}}})";
  }
  static std::string spot(const std::string& type, const std::string& price) {
    return "<item><instanceType>" + type + "</instanceType><availabilityZone>a</availabilityZone><spotPrice>" + price +
           "</spotPrice></item>";
  }

  aws::testing::CannedTransport transport;
  aws::testing::ManualRuntime runtime;
  std::unique_ptr<aws::CredentialsProvider> credentials = aws::make_static_credentials({"AKIDEXAMPLE", "secret", ""});
  aws::Client client;
  aws::Ec2 ec2{client};
  aws::Pricing pricing{client};
  std::vector<std::string> said;
  Prices prices;
};

TEST(Prices, OfAnotherPartitionAreNoSubstitute) {
  for (const char* region : {"cn-north-1", "eusc-de-east-1", "us-iso-east-1"}) {
    PricedWorld world(region);
    EXPECT_EQ(world.prices.book()->on_demand_price("m5.large"), std::nullopt) << region;
    EXPECT_EQ(world.prices.book()->spot_price("m5.large", "a"), std::nullopt) << region;
    ASSERT_FALSE(world.said.empty()) << region;
    EXPECT_THAT(world.said[0], StartsWith("the on-demand prices are not known, and nothing is launched on demand: "));
  }
  PricedWorld government("us-gov-west-1");
  EXPECT_EQ(government.prices.book()->on_demand_price("m5.large"), model::parse_price("0.121")) << "its own list";
  for (const http::Request& request : government.transport.requests) {
    EXPECT_EQ(request.url.find("pricing"), std::string::npos) << "no price list answers there";
  }
}

TEST(Prices, AreInOneCurrency) {
  PricedWorld china("cn-north-1",
                    {PricedWorld::product("m5.large", "CNY", "0.77"), PricedWorld::product("c5.large", "USD", "0.1")});
  EXPECT_EQ(china.prices.book()->on_demand_price("m5.large"), model::parse_price("0.77"));
  EXPECT_EQ(china.prices.book()->on_demand_price("c5.large"), std::nullopt) << "dollars are not compared with yuan";
  PricedWorld europe("eusc-de-east-1",
                     {PricedWorld::product("m5.large", "USD", "0.2"), PricedWorld::product("c5.large", "EUR", "0.1")});
  EXPECT_EQ(europe.prices.book()->on_demand_price("c5.large"), model::parse_price("0.1"));
  EXPECT_EQ(europe.prices.book()->on_demand_price("m5.large"), std::nullopt);
  PricedWorld dollars("eusc-de-east-1", {PricedWorld::product("m5.large", "USD", "0.2")});
  EXPECT_EQ(dollars.prices.book()->on_demand_price("m5.large"), model::parse_price("0.2"));
}

TEST(Prices, ThatCannotBeReadAreLeftOutAndToldOnce) {
  PricedWorld world(
      "us-east-1",
      {"no json", PricedWorld::product("m5.large", "USD", "0.5"), PricedWorld::product("c5.large", "USD", "1,5"),
       R"({"product":{}})", PricedWorld::product("t3.nano", "USD", "0.0000")},
      PricedWorld::spot("m5.large", "0.2") + PricedWorld::spot("c5.large", "cheap") +
          PricedWorld::spot("r5.large", "0"));
  const auto book = world.prices.book();
  EXPECT_EQ(book->on_demand_price("m5.large"), model::parse_price("0.5"));
  EXPECT_EQ(book->on_demand_price("c5.large"), model::parse_price("0.085")) << "the built-in one";
  EXPECT_EQ(book->spot_price("m5.large", "a"), model::parse_price("0.2"));
  EXPECT_EQ(book->spot_price("r5.large", "a"), std::nullopt) << "nothing is free";
  ASSERT_THAT(world.said, SizeIs(2));
  // Each product is in both answers: that of instances, and that of bare metal.
  EXPECT_THAT(world.said[0],
              StartsWith("6 of the on-demand prices that AWS lists cannot be read and are left out; the first: "));
  EXPECT_EQ(world.said[1],
            "2 of the spot prices that AWS lists cannot be read and are left out; the first: c5.large in a: "
            "\"cheap\" is not a price");
  world.runtime.advance(kPriceTtl);
  world.prices.refresh({});
  EXPECT_THAT(world.said, SizeIs(2));
}

}  // namespace
}  // namespace tenon::cloud
