// What a NodeClaim can be launched as: the types and offerings that are left after Karpenter's filters, cheapest first.
// Pure. parity: provider-aws pkg/providers/instance/filter, instance.go
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

inline constexpr size_t kMaxLaunchTypes = 60;       // of one CreateFleet call
inline constexpr size_t kRecommendedTypeCount = 5;  // fewer, when spot falls back to on-demand, deserve a warning

struct LaunchCandidate {
  const model::InstanceType* type = nullptr;      // borrowed
  std::vector<const model::Offering*> offerings;  // of the chosen capacity type, cheapest first
};
struct LeftOut {
  std::string_view filter;                        // Karpenter's name of it
  std::vector<const model::InstanceType*> types;  // of which it left nothing; borrowed
};
struct LaunchChoice {
  std::string capacity_type;
  std::vector<LaunchCandidate> candidates;  // by the price of their first offering, then name
  std::vector<LeftOut> left_out;            // in the order of the filters; those that the claim rules out are not told
};

// Errors: kInsufficientCapacity if nothing is left, or if the cut to kMaxLaunchTypes breaks a minValues; kInvalid: a
// requirement that makes no sense.
Result<LaunchChoice> choose_launch(const model::NodeClaim& claim, const std::vector<model::InstanceType>& types);

// Leaves the offerings that `keep` wants, and the types that have such.
using KeepOffering = std::function<bool(const model::InstanceType& type, const model::Offering& offering)>;
void keep_offerings(LaunchChoice& choice, const KeepOffering& keep);

// A line of each filter that left types out, with the first kNamesTold of them.
inline constexpr size_t kNamesTold = 5;
std::vector<std::string> left_out_lines(const model::NodeClaim& claim, const LaunchChoice& choice);

}  // namespace tenon::cloud
