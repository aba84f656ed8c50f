// SPDX-License-Identifier: Apache-2.0
#include "aws/pricing.h"

#include "aws/json_protocol.h"
#include "json/json.h"

namespace tenon::aws {
namespace {

constexpr int kPageSize = 100;
constexpr int kMaxPages = 1000;

// terms.OnDemand.<any>.priceDimensions.<any>.pricePerUnit.USD; empty if there is no positive one.
std::string_view price_of(const json::value& product, std::string_view currency) {
  for (const auto& [offer, term] : json::object_at(product, {"terms", "OnDemand"})) {
    for (const auto& [rate, dimension] : json::object_at(term, {"priceDimensions"})) {
      const std::string_view price = json::string_at(dimension, {"pricePerUnit", currency});
      if (price.find_first_of("123456789") != std::string_view::npos) return price;
    }
  }
  return {};
}

}  // namespace

Result<std::vector<ListPrice>> Pricing::on_demand_prices(const std::vector<ProductFilter>& filters,
                                                         const std::stop_token& stop) {
  const std::string_view currency = client_.region().starts_with("cn-") ? "CNY" : "USD";
  json::object input{{"ServiceCode", "AmazonEC2"}, {"MaxResults", kPageSize}};
  json::array& terms = input["Filters"].emplace_array();
  for (const ProductFilter& filter : filters) {
    terms.push_back(json::object{{"Type", "TERM_MATCH"}, {"Field", filter.field}, {"Value", filter.value}});
  }
  std::vector<ListPrice> prices;
  for (int page = 0; page < kMaxPages; ++page) {
    const json::value answer = TRY(call_json(client_, {kPricing, "AWSPriceListService", "GetProducts"}, input, stop));
    for (const json::value& entry : json::array_at(answer, {"PriceList"})) {
      if (!entry.is_string()) continue;
      const json::value product = TRY_IN("pricing GetProducts", json::parse(entry.get_string()));
      const std::string_view type = json::string_at(product, {"product", "attributes", "instanceType"});
      const std::string_view price = price_of(product, currency);
      if (!type.empty() && !price.empty()) prices.push_back({std::string(type), std::string(price)});
    }
    const std::string_view token = json::string_at(answer, {"NextToken"});
    if (token.empty()) return prices;
    input["NextToken"] = token;
  }
  return fail(Code::kInternal, "pricing GetProducts: more than 1000 pages");
}

}  // namespace tenon::aws
