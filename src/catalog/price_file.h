// The prices of one account: a file of discounts on list prices, and of commitments that are paid whether they are used
// or not. An instance within a commitment costs almost nothing in addition, and its termination saves nothing.
//
//   multipliers:                     # every matching row is applied; an omitted key matches all
//   - {family: m5, capacityType: on-demand, region: us-east-1, factor: 0.9}
//   commitments:                     # used in this order
//   - {name: riA, kind: ReservedInstance, instanceType: m5.large, zone: us-east-1a, count: 4}
//   - {name: riB, kind: ReservedInstance, instanceType: c5.xlarge, count: 10, until: 2027-01-01T00:00:00Z}
//   - {name: sp,  kind: SavingsPlan, family: m6i, usdPerHour: 12.5, rate: 0.66}
//
// Pure; see docs/decisions/0009-commitments-are-sunk.md.
// price_apply.cc applies the file to prices.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "base/result.h"
#include "model/instance_type.h"

namespace tenon::catalog {

inline constexpr int64_t kWhole = 1'000'000;  // a factor of 1, an instance: both are counted in millionths

struct PriceMultiplier {
  std::string instance_type, family, capacity_type, region;  // empty: any
  int64_t factor = kWhole;
};

struct Commitment {
  std::string name;
  bool reserved_instances = false;                  // else a Savings Plan
  std::string instance_type, family, region, zone;  // empty: any
  int64_t count = 0;                                // of reserved instances
  model::Price per_hour;                            // a Savings Plan's
  int64_t rate = kWhole;                            // share of the list price that a Savings Plan counts
  std::optional<Instant> until;
};

struct PriceFile {
  std::vector<PriceMultiplier> multipliers;
  std::vector<Commitment> commitments;
  bool empty() const { return multipliers.empty() && commitments.empty(); }
};

// Parses YAML or JSON. Errors: kInvalid: "multipliers[2].factor: …", with the key and the cause.
Result<PriceFile> parse_price_file(std::string_view text);

// Running on-demand instances.
struct RunningInstances {
  std::string type, zone;
  int64_t count = 0;
};

// Changes the prices of `types`: applies multipliers, then the part of the commitments that `running` does not use. An
// offering within a commitment has the price of one more instance, and in `saved` the savings from one instance fewer.
void apply_price_file(const PriceFile& file, std::string_view region, const std::vector<RunningInstances>& running,
                      Instant now, std::vector<model::InstanceType>& types);

}  // namespace tenon::catalog
