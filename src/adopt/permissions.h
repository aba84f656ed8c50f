// Judges which AWS actions the policies of an IAM role allow. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "adopt/observed.h"

namespace tenon::adopt {

// Returns the actions that the Allow statements of a policy name, without patterns.
std::set<std::string> actions_of(const boost::json::value& policy);

// Returns the members of `wanted` that no Allow statement covers, and those that a Deny statement without a condition
// covers for every resource. Resources and conditions of Allow statements are not judged, therefore an action that is
// not returned may still be refused for one resource. Action patterns match case-insensitively, with * and ?. parity:
// AWS IAM User Guide, policy evaluation logic; JSON policy elements Action and NotAction
std::set<std::string> lacking_actions(const Documents& policies, const std::set<std::string>& wanted);

}  // namespace tenon::adopt
