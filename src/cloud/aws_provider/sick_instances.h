// Which instances EC2 itself finds sick, or is going to stop, restart or retire.
// parity: provider-aws pkg/providers/instancestatus
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "aws/ec2.h"
#include "cloud/interruption.h"
#include "runtime/runtime.h"

namespace tenon::cloud {

inline constexpr Duration kSickFor = 120s;  // a status check that fails for less time may pass again

// By id, then kind. Errors: those of DescribeInstanceStatus; kForbidden, the role lacks the permission.
Result<std::vector<SickInstance>> find_sick_instances(aws::Ec2& ec2, runtime::Runtime& runtime,
                                                      const std::stop_token& stop);

}  // namespace tenon::cloud
