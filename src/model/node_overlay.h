// NodeOverlay (karpenter.sh/v1alpha1): changes what the autoscaler assumes about instance types: a price (a discount
// that the price list does not contain), or resources that the cloud does not report (a device that a driver adds).
// Value type. parity: karpenter pkg/apis/v1alpha1/nodeoverlay.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/meta.h"
#include "model/price.h"
#include "model/requirement.h"
#include "model/resources.h"

namespace tenon::model {

struct NodeOverlay {
  ObjectMeta meta;
  std::vector<RequirementSpec> requirements;
  std::string price;             // "0.05" USD per hour; empty: not set
  std::string price_adjustment;  // "-10%", "+0.02"; empty: not set
  Resources capacity;            // of an instance; replaces the values of its type
  int weight = 0;                // 1 to 10000; 0: not set, counts as the lowest
  std::vector<Condition> conditions;
  friend bool operator==(const NodeOverlay&, const NodeOverlay&) = default;
};

// Errors: kInvalid: the first invalid field, with its path.
Status validate(const NodeOverlay& overlay);

// Returns the price of an offering under the (valid) overlay; never below zero.
Price overlaid_price(const NodeOverlay& overlay, Price price);

}  // namespace tenon::model
