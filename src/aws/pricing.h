// The price list. Wire: JSON 1.1; only few regions have an endpoint (endpoints.h).
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
  // Number of products that cannot be read and are left out, and the error of the first one.
  size_t malformed = 0;
  std::string first_problem;
};

// Returns the currencies of the price list for a region, the preferred one first. A caller uses one of them for all
// products. parity: provider-aws pkg/providers/pricing (CNY in China)
std::vector<std::string_view> currencies(std::string_view region);

// Thread rule: any thread.
class Pricing {
 public:
  explicit Pricing(Client& client) : client_(client) {}
  // Returns the on-demand prices of EC2 products, each in the first of the currencies() of the client's region that has
  // a price. Leaves out products without a positive price.
  Result<PriceList> on_demand_prices(const std::vector<ProductFilter>& filters, const std::stop_token& stop);

 private:
  Client& client_;
};

}  // namespace tenon::aws
