// The meaning of launch errors. Pure. parity: provider-aws pkg/errors/errors.go, pkg/providers/instance
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "aws/ec2.h"
#include "base/error.h"

namespace tenon::cloud {

// The code for an account that lacks spot's service-linked role, if we lack the permission to create the role.
inline constexpr std::string_view kSpotRoleMissing = "AuthFailure.ServiceLinkedRoleCreationNotPermitted";

enum class LaunchProblem {
  kOfferingGone,    // this type is unavailable in this zone now: mark it
  kSubnetFull,      // the subnet has no free address: mark it, and the offering
  kSpotNotAllowed,  // the account lacks spot's service-linked role: mark all spot
  kTemplateGone,    // another process deleted the launch template: create it again
  kTokenReused,     // the ClientToken was used with another request: an earlier attempt may have launched
  kOther,
};
LaunchProblem classify_launch(std::string_view aws_code);

struct LaunchReason {
  std::string_view reason, message;  // a condition's reason and message
};
// Returns the reason by the error's text, which contains AWS's code. The fallback is LaunchFailed.
LaunchReason launch_reason(std::string_view text);

// Combines the errors of a fleet that launched nothing: kInsufficientCapacity if no error is kOther (or there is none),
// else the code and reason of the first such error.
Error combine_fleet_errors(const std::vector<aws::FleetError>& errors);

}  // namespace tenon::cloud
