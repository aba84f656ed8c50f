// InstanceType: an instance type with its labels, capacity and offerings. Value types.
// parity: karpenter pkg/cloudprovider/types.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/price.h"
#include "model/requirement.h"
#include "model/resources.h"

namespace tenon::model {

struct Offering {
  std::string zone, zone_id;
  std::string capacity_type;  // on-demand, spot, reserved
  Price price;
  bool available = true;
  bool only_lacks_price = false;  // unavailable only because it has no price: a NodeOverlay may set one
  std::string reservation_id, reservation_type;
  bool reservation_interruptible = false;
  int reservation_capacity = 0;     // instances left, for reserved
  std::optional<Price> saved = {};  // by one instance fewer; std::nullopt: its price
  friend bool operator==(const Offering&, const Offering&) = default;
};

struct InstanceType {
  std::string name;
  // Label → possible values. A well-known key that is absent means DoesNotExist.
  std::map<std::string, std::vector<std::string>, std::less<>> labels;
  Resources capacity;
  Resources overhead;  // kube-reserved + system-reserved + eviction threshold
  std::vector<Offering> offerings;
  bool price_overlaid = false, capacity_overlaid = false;  // changed by a NodeOverlay, the price also by a price file
  std::string problem;  // why it cannot be used (plan-format.md: no offerings, a missing price, …)

  Resources allocatable() const;  // capacity − overhead, never below zero
  Requirements requirements() const;
  friend bool operator==(const InstanceType&, const InstanceType&) = default;
};

}  // namespace tenon::model
