// Whether EC2 lets us in at all: asked once at the start, so that a wrong key, clock or policy is one clear line.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

#include "aws/client.h"

namespace tenon::aws {

// A dry run of DescribeInstanceTypes. Errors: kForbidden, and those of Client::call.
Status check_ec2_access(Client& client, const std::stop_token& stop);

}  // namespace tenon::aws
