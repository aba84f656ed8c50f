// The types and offerings that a NodeClaim can be launched as: those that remain after Karpenter's filters, lowest
// price first. Pure. parity: provider-aws pkg/providers/instance/filter, instance.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/instance_type.h"
#include "model/node_claim.h"

namespace tenon::cloud {

inline constexpr size_t kMaxLaunchTypes = 60;  // in one CreateFleet call

struct LaunchCandidate {
  const model::InstanceType* type = nullptr;      // borrowed
  std::vector<const model::Offering*> offerings;  // of the chosen capacity type, lowest price first
};
struct LeftOut {
  std::string_view filter;                        // Karpenter's name
  std::vector<const model::InstanceType*> types;  // that it removed entirely; borrowed
};
struct LaunchChoice {
  std::string capacity_type;
  std::vector<LaunchCandidate> candidates;  // by the price of their first offering, then name
  std::vector<LeftOut> left_out;            // in the order of the filters; without types that the claim excludes
};

// Errors: kInsufficientCapacity if no offering remains, or if the cut to kMaxLaunchTypes violates a minValues;
// kInvalid: an invalid requirement.
Result<LaunchChoice> choose_launch(const model::NodeClaim& claim, const std::vector<model::InstanceType>& types);

// Returns the highest price of its offerings.
model::Price highest_price_of(const LaunchChoice& choice);

// Keeps the offerings that `keep` accepts, and the types that still have one.
using KeepOffering = std::function<bool(const model::InstanceType& type, const model::Offering& offering)>;
void keep_offerings(LaunchChoice& choice, const KeepOffering& keep);

// Returns a line for each filter that removed types, with the first kNamesLogged of them.
inline constexpr size_t kNamesLogged = 5;
std::vector<std::string> left_out_lines(const model::NodeClaim& claim, const LaunchChoice& choice);

// Returns the reserved offering in the zone; null if there is none. A choice has at most one for each type and zone.
const model::Offering* reservation_in(const LaunchCandidate& candidate, const std::string& zone);

}  // namespace tenon::cloud
