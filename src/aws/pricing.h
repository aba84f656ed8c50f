// The price list. Wire: JSON 1.1; it answers in few regions (endpoints.h).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "aws/client.h"

namespace tenon::aws {

struct ProductFilter {
  std::string field, value;  // TERM_MATCH
};
struct ListPrice {
  std::string instance_type, usd;  // usd: a decimal number, per hour
};

// Thread rule: any thread.
class Pricing {
 public:
  explicit Pricing(Client& client) : client_(client) {}
  // The on-demand prices of EC2 products; products without a positive price are left out. In China the currency is CNY.
  Result<std::vector<ListPrice>> on_demand_prices(const std::vector<ProductFilter>& filters,
                                                  const std::stop_token& stop);

 private:
  Client& client_;
};

}  // namespace tenon::aws
