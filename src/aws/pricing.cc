// SPDX-License-Identifier: Apache-2.0
#include "aws/pricing.h"

#include "aws/endpoints.h"
#include "aws/json_protocol.h"
#include "json/json.h"

namespace tenon::aws {
namespace {

constexpr int kPageSize = 100;
constexpr int kMaxPricePages = 1000;

// Reads terms.OnDemand.<any>.priceDimensions.<any>.pricePerUnit.<currency>; empty if no price is positive.
std::string_view price_of(const json::value& product, std::string_view currency) {
  for (const auto& [offer, term] : json::object_at(product, {"terms", "OnDemand"})) {
    for (const auto& [rate, dimension] : json::object_at(term, {"priceDimensions"})) {
      const std::string_view price = json::string_at(dimension, {"pricePerUnit", currency});
      if (price.find_first_of("123456789") != std::string_view::npos) return price;
    }
  }
  return {};
}

// Reads one product. Errors: kInvalid if it cannot be read.
Status read_product(const json::value& entry, const std::vector<std::string_view>& currencies,
                    std::vector<ListPrice>& out) {
  if (!entry.is_string()) return fail(Code::kInvalid, "a product is not a string");
  const json::value product = TRY(json::parse(entry.get_string()));
  const std::string_view type = json::string_at(product, {"product", "attributes", "instanceType"});
  if (type.empty()) return fail(Code::kInvalid, "product.attributes.instanceType is missing");
  for (const std::string_view currency : currencies) {
    const std::string_view text = price_of(product, currency);
    if (text.empty()) continue;
    const auto price = model::parse_price(text);
    if (!price) {
      return fail(Code::kInvalid, std::string(type) + ": the price \"" + std::string(text) + "\" is not a number");
    }
    out.push_back({std::string(type), std::string(currency), *price});
    return ok();
  }
  return ok();
}

}  // namespace

std::vector<std::string_view> currencies(std::string_view region) {
  const std::string_view partition = partition_name(region);
  if (partition == "aws-cn") return {"CNY"};
  if (partition == "aws-eusc") return {"EUR", "USD"};
  return {"USD"};
}

Result<PriceList> Pricing::on_demand_prices(const std::vector<ProductFilter>& filters, const std::stop_token& stop) {
  const auto accepted = currencies(client_.region());
  json::object input{{"ServiceCode", "AmazonEC2"}, {"MaxResults", kPageSize}};
  json::array& terms = input["Filters"].emplace_array();
  for (const ProductFilter& filter : filters) {
    terms.push_back(json::object{{"Type", "TERM_MATCH"}, {"Field", filter.field}, {"Value", filter.value}});
  }
  PriceList list;
  for (int page = 0; page < kMaxPricePages; ++page) {
    const json::value answer = TRY(call_json(client_, {kPricing, "AWSPriceListService", "GetProducts"}, input, stop));
    for (const json::value& entry : json::array_at(answer, {"PriceList"})) {
      const Status read = read_product(entry, accepted, list.prices);
      if (!read && list.malformed++ == 0) list.first_problem = read.error().message;
    }
    const std::string_view token = json::string_at(answer, {"NextToken"});
    if (token.empty()) return list;
    input["NextToken"] = token;
  }
  return fail(Code::kInternal, "pricing GetProducts: more than 1000 pages");
}

}  // namespace tenon::aws
