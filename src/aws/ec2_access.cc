// SPDX-License-Identifier: Apache-2.0
#include "aws/ec2_access.h"

#include "aws/ec2_wire.h"

namespace tenon::aws {

Status check_ec2_access(Client& client, const std::stop_token& stop) {
  Form form("DescribeInstanceTypes", ec2_wire::kVersion);
  form.set("DryRun", true);
  return ec2_wire::judge_dry_run(query(client, kEc2, form, stop));
}

}  // namespace tenon::aws
