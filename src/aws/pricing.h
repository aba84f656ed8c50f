// The price list. Wire: JSON 1.1; it answers in few regions (endpoints.h).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "aws/client.h"
#include "model/price.h"

namespace tenon::aws {

struct ProductFilter {
  std::string field, value;  // TERM_MATCH
};
struct ListPrice {
  std::string instance_type, currency;  // currency: an ISO 4217 code
  model::Price price;                   // of that currency, per hour
};
struct PriceList {
  std::vector<ListPrice> prices;
  // Products that cannot be read; they are left out. And what is wrong with the first of them.
  size_t malformed = 0;
  std::string first_problem;
};

// The currencies in which the price list may state prices for a region, the preferred one first. A caller uses one of
// them for all products. parity: provider-aws pkg/providers/pricing (CNY in China)
std::vector<std::string_view> currencies(std::string_view region);

// Thread rule: any thread.
class Pricing {
 public:
  explicit Pricing(Client& client) : client_(client) {}
  // The on-demand prices of EC2 products, in the first of the client's region's currencies() that a product is priced
  // in; products without a positive price are left out.
  Result<PriceList> on_demand_prices(const std::vector<ProductFilter>& filters, const std::stop_token& stop);

 private:
  Client& client_;
};

}  // namespace tenon::aws
