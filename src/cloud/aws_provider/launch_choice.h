// What a NodeClaim can be launched as: the types and offerings that are left after Karpenter's filters, cheapest first.
// Pure. parity: provider-aws pkg/providers/instance/filter, instance.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/instance_type.h"
#include "model/node_claim.h"

namespace tenon::cloud {

inline constexpr size_t kMaxLaunchTypes = 60;       // of one CreateFleet call
inline constexpr size_t kRecommendedTypeCount = 5;  // fewer, when spot falls back to on-demand, deserve a warning

struct LaunchCandidate {
  const model::InstanceType* type = nullptr;      // borrowed
  std::vector<const model::Offering*> offerings;  // of the chosen capacity type, cheapest first
};
struct LaunchChoice {
  std::string capacity_type;
  std::vector<LaunchCandidate> candidates;  // by the price of their first offering, then name
};

// Errors: kInsufficientCapacity if nothing is left, or if the cut to kMaxLaunchTypes breaks a minValues; kInvalid: a
// requirement that makes no sense.
Result<LaunchChoice> choose_launch(const model::NodeClaim& claim, const std::vector<model::InstanceType>& types);

}  // namespace tenon::cloud
