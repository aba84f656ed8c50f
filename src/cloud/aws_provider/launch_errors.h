// What the errors of a launch mean. Pure. parity: provider-aws pkg/errors/errors.go, pkg/providers/instance
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "aws/ec2.h"
#include "base/error.h"

namespace tenon::cloud {

// The code for an account without spot's service-linked role, in which we may not make it.
inline constexpr std::string_view kSpotRoleMissing = "AuthFailure.ServiceLinkedRoleCreationNotPermitted";

enum class LaunchProblem {
  kOfferingGone,    // this type in this zone cannot be had now: mark it
  kSubnetFull,      // no address left in the subnet: mark it, and the offering
  kSpotNotAllowed,  // the account lacks spot's service-linked role: mark all spot
  kTemplateGone,    // the launch template was deleted behind our back: make it anew, once
  kTokenReused,     // the same ClientToken with another request: an earlier attempt may have bought
  kOther,
};
LaunchProblem classify_launch(std::string_view aws_code);

struct LaunchReason {
  std::string_view reason, message;  // a condition's reason, and a sentence for people
};
// By the text of the error, which holds AWS's code. The fallback is LaunchFailed.
LaunchReason launch_reason(std::string_view text);

// A fleet that brought nothing: kInsufficientCapacity if every error says so (or there is none), else what the first
// other one means.
Error combine_fleet_errors(const std::vector<aws::FleetError>& errors);

}  // namespace tenon::cloud
