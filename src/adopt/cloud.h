// What `tenon adopt` asks AWS: the permissions of the controller's role, and the interruption queue. Pure: the caller
// asks, and puts the answers into Observed::cloud before inspect().
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "adopt/observed.h"

namespace tenon::adopt {

// What the cluster says of Karpenter's role and queue; empty: it says nothing.
struct CloudNames {
  std::string role_arn;  // annotation eks.amazonaws.com/role-arn of the service account
  std::string queue;     // INTERRUPTION_QUEUE or --interruption-queue: a name
};
CloudNames cloud_names(const Observed& observed);

// "KarpenterRole" of "arn:aws:iam::123456789012:role/path/KarpenterRole"; empty if it is no ARN of a role.
std::string role_name(std::string_view arn);

}  // namespace tenon::adopt
