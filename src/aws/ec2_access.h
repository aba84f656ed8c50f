// Checks the access to EC2 once at the start, so that a wrong key, clock or policy gives one clear message.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

#include "aws/client.h"

namespace tenon::aws {

// Performs a dry run of DescribeInstanceTypes. Errors: kForbidden, and those of Client::call.
Status check_ec2_access(Client& client, const std::stop_token& stop);

}  // namespace tenon::aws
