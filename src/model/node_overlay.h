// NodeOverlay (karpenter.sh/v1alpha1): changes what the autoscaler believes about instance types: a price (a discount
// that the price list does not know), or resources that the cloud does not report (a device that a driver adds). Value
// type. parity: karpenter pkg/apis/v1alpha1/nodeoverlay.go
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
  Resources capacity;            // of an instance, in place of what its type says
  int weight = 0;                // 1 to 10000; 0: not set, counts as the least
  std::vector<Condition> conditions;
  friend bool operator==(const NodeOverlay&, const NodeOverlay&) = default;
};

// Errors: kInvalid: the first thing that is wrong, with its field path.
Status validate(const NodeOverlay& overlay);

// What an offering at this price costs under the (valid) overlay; never below zero.
Price overlaid_price(const NodeOverlay& overlay, Price price);

}  // namespace tenon::model
