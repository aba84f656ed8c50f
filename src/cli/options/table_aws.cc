// The rows of the table about AWS.
// SPDX-License-Identifier: Apache-2.0
#include "cli/options/bind.h"
#include "cli/options/table.h"

namespace tenon::cli {

using enum Command;

std::vector<Row> aws_rows() {
  return {
      {.flag = "--vm-memory-overhead-percent",
       .in = {kController},
       .group = Group::kAws,
       .field = at<&ControllerOptions::vm_memory_overhead_percent>,
       .help = "Fraction of an instance type's memory that the hypervisor uses",
       .from_environment = {kController}},
      {.flag = "--reserved-enis",
       .in = {kController},
       .group = Group::kAws,
       .field = at<&ControllerOptions::reserved_enis>,
       .help = "Number of network interfaces of each node that pods do not use",
       .from_environment = {kController}},
      {.flag = "--interruption-queue",
       .in = {kController},
       .group = Group::kAws,
       .field = at<&ControllerOptions::interruption_queue>,
       .help = "Name of the SQS queue with EC2's notices; without it, interruptions are not announced",
       .from_environment = {kController}},
      {.flag = "--ami-refresh-interval",
       .in = {kController},
       .group = Group::kAws,
       .field = at<&ControllerOptions::ami_refresh>,
       .help = "Time for which the AMIs of a selector are cached, at least 1m",
       .from_environment = {kController}},
      {.flag = "--subnet-refresh-interval",
       .in = {kController},
       .group = Group::kAws,
       .field = at<&ControllerOptions::subnet_refresh>,
       .help = "Time for which the subnets of a selector are cached, at least 1m",
       .from_environment = {kController}},
      {.flag = "--isolated-vpc",
       .in = {kController},
       .group = Group::kAws,
       .field = at<&ControllerOptions::isolated_vpc>,
       .help = "Send no requests to Pricing and IAM: prices are built in, instance profiles are not removed",
       .from_environment = {kController},
       .takes_value = false},
      {.flag = "--disable-dry-run",
       .in = {kController},
       .group = Group::kAws,
       .field = at<&ControllerOptions::disable_dry_run>,
       .help = "Skip the dry runs that validate EC2NodeClasses",
       .from_environment = {kController},
       .takes_value = false},
      {.flag = "--enable-zonal-shift",
       .in = {kController},
       .group = Group::kAws,
       .field = at<&ControllerOptions::enable_zonal_shift>,
       .help = "Launch no nodes in zones that ARC shifts traffic away from; the cluster must be enrolled",
       .from_environment = {kController},
       .takes_value = false},
  };
}

}  // namespace tenon::cli
