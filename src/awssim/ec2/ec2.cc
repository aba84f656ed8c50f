// SPDX-License-Identifier: Apache-2.0
#include "awssim/ec2/ec2.h"

#include <map>

namespace tenon::awssim::ec2 {
namespace {

using Action = Outcome<void> (*)(World&, const Params&, Xml&);

}  // namespace

Outcome<void> perform(World& world, std::string_view action, const Params& params, Xml& out) {
  static const std::map<std::string_view, Action> kActions{
      {"CreateFleet", create_fleet},
      {"CreateLaunchTemplate", create_launch_template},
      {"CreateTags", create_tags},
      {"DeleteLaunchTemplate", delete_launch_template},
      {"DeleteTags", delete_tags},
      {"DescribeAvailabilityZones", describe_availability_zones},
      {"DescribeCapacityReservations", describe_capacity_reservations},
      {"DescribeImages", describe_images},
      {"DescribeInstanceStatus", describe_instance_status},
      {"DescribeInstanceTypeOfferings", describe_instance_type_offerings},
      {"DescribeInstanceTypes", describe_instance_types},
      {"DescribeInstances", describe_instances},
      {"DescribeLaunchTemplates", describe_launch_templates},
      {"DescribePlacementGroups", describe_placement_groups},
      {"DescribeSecurityGroups", describe_security_groups},
      {"DescribeSpotPriceHistory", describe_spot_price_history},
      {"DescribeSubnets", describe_subnets},
      {"DescribeVpcs", describe_vpcs},
      {"RunInstances", run_instances},
      {"TerminateInstances", terminate_instances}};
  auto found = kActions.find(action);
  if (found == kActions.end())
    return deny("InvalidAction", "The action " + std::string(action) + " is not valid for this web service.");
  // A dry run of a read needs only the permission, which every caller has here.
  if (params.flag("DryRun") && action.starts_with("Describe")) return dry_run_succeeded();
  return found->second(world, params, out);
}

}  // namespace tenon::awssim::ec2
