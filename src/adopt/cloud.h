// Finds the IAM role and the interruption queue of Karpenter, about which `tenon adopt` asks AWS. Pure: the caller
// sends the requests and stores the answers in Observed::cloud before it calls inspect().
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "adopt/observed.h"

namespace tenon::adopt {

// The role and the queue that objects of the cluster name. A field is empty if no object names one.
struct CloudNames {
  std::string role_arn;  // annotation eks.amazonaws.com/role-arn of the service account
  std::string queue;     // INTERRUPTION_QUEUE or --interruption-queue: a name
};
CloudNames cloud_names(const Observed& observed);

// "KarpenterRole" of "arn:aws:iam::123456789012:role/path/KarpenterRole"; empty if it is no ARN of a role.
std::string role_name(std::string_view arn);

}  // namespace tenon::adopt
