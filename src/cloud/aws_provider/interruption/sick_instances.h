// Finds instances that EC2 reports as impaired, or is going to stop, reboot or retire.
// parity: provider-aws pkg/providers/instancestatus
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "aws/ec2.h"
#include "cloud/interruption.h"
#include "runtime/runtime.h"

namespace tenon::cloud {

inline constexpr Duration kSickFor = 120s;  // a status check that fails for less time may recover

// Sorted by id, then kind. Errors: those of DescribeInstanceStatus; kForbidden, the role lacks the permission.
Result<std::vector<SickInstance>> find_sick_instances(aws::Ec2& ec2, runtime::Runtime& runtime,
                                                      const std::stop_token& stop);

}  // namespace tenon::cloud
