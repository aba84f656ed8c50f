// SPDX-License-Identifier: Apache-2.0
#include "cloud/aws_provider/launch/launch_errors.h"

#include <algorithm>
#include <array>
#include <set>

#include "aws/errors.h"

namespace tenon::cloud {
namespace {

constexpr std::array<std::string_view, 7> kOfferingCodes = {
    "InsufficientInstanceCapacity",
    "MaxSpotInstanceCountExceeded",
    "VcpuLimitExceeded",
    "UnfulfillableCapacity",
    "Unsupported",
    "MaxFleetCountExceeded",
    "ReservationCapacityExceeded",
};

// Applies if the error's text contains `all`.
struct ReasonRow {
  std::string_view all;
  bool unauthorized;  // and the text reports a denied authorization
  LaunchReason reason;
};
constexpr ReasonRow kReasons[] = {
    {kSpotRoleMissing,
     false,
     {"SpotSLRCreationFailed",
      "User does not have sufficient permission to create the Spot ServiceLinkedRole to launch spot instances"}},
    {"with an explicit deny in a permissions boundary",
     true,
     {"Unauthorized", "User is not authorized to perform this operation due to a permission boundary"}},
    {"with an explicit deny in a service control policy",
     true,
     {"Unauthorized", "User is not authorized to perform this operation due to a service control policy"}},
    {"Not authorized for images",
     true,
     {"AMIAuthorizationFailure", "User is not authorized for AMI used in instance launch"}},
    {"",
     true,
     {"Unauthorized", "User is not authorized to perform this operation because no identity-based policy allows it"}},
    {"belong to different networks",
     false,
     {"SecurityGroupSubnetVPCMismatch", "Security groups and subnets must be in the same VPC."}},
    {"iamInstanceProfile.name is invalid",
     false,
     {"InstanceProfileNameInvalid", "Instance profile name used from EC2NodeClass status does not exist"}},
    {"InvalidLaunchTemplateId.NotFound",
     false,
     {"LaunchTemplateNotFound", "Launch template used for instance launch wasn't found"}},
    {"User data is limited to",
     false,
     {"UserDataSizeLimitExceeded", "Rendered user data exceeds the EC2 user data size limit"}},
    {"InvalidAMIID.Malformed", false, {"InvalidAMIID", "AMI used for instance launch is invalid"}},
    {"InvalidAMIID.NotFound",
     false,
     {"AMINotFound", "AMI used for instance launch either does not exist or you don't have permissions to use it"}},
    {"RequestLimitExceeded", false, {"RequestLimitExceeded", "Request limit exceeded"}},
    {"InternalError", false, {"InternalError", "An internal error has occurred"}},
    {"not eligible for Free Tier",
     false,
     {"FreeTierIneligible", "The specified instance type is not eligible for Free Tier"}},
    {"MaxFleetCountExceeded",
     false,
     {"FleetQuotaExceeded", "A fleet launch was requested but this would exceed your fleet request quota"}},
    {"PendingVerification",
     false,
     {"AccountPendingVerification",
      "An instance launch was requested but the request for launching resources in this "
      "region is still being verified"}},
    {"MaxSpotInstanceCountExceeded",
     false,
     {"SpotQuotaExceeded", "A spot instance launch was requested but this would exceed your spot instance quota"}},
    {"VcpuLimitExceeded", false, {"VCPULimitExceeded", "An instance was requested that would exceed your VCPU quota"}},
    {"InsufficientFreeAddressesInSubnet",
     false,
     {"InsufficientFreeAddressesInSubnet",
      "There are not enough free IP addresses to launch an instance in this subnet"}},
};

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

}  // namespace

LaunchProblem classify_launch(std::string_view aws_code) {
  if (aws_code == "InsufficientFreeAddressesInSubnet") return LaunchProblem::kSubnetFull;
  if (aws_code == kSpotRoleMissing) return LaunchProblem::kSpotNotAllowed;
  if (aws_code == "InvalidLaunchTemplateName.NotFoundException" || aws_code == "InvalidLaunchTemplateId.NotFound") {
    return LaunchProblem::kTemplateGone;
  }
  if (aws_code == "IdempotentParameterMismatch") return LaunchProblem::kTokenReused;
  // Includes codes that Karpenter does not list: without the mark, every pass would request the unavailable offering
  // again.
  const bool gone = std::find(kOfferingCodes.begin(), kOfferingCodes.end(), aws_code) != kOfferingCodes.end() ||
                    aws::classify(aws_code) == Code::kInsufficientCapacity;
  return gone ? LaunchProblem::kOfferingGone : LaunchProblem::kOther;
}

LaunchReason launch_reason(std::string_view text) {
  const bool unauthorized =
      contains(text, "UnauthorizedOperation") || contains(text, "AccessDenied") || contains(text, "AuthFailure");
  for (const ReasonRow& row : kReasons) {
    if (row.unauthorized && !unauthorized) continue;
    if (contains(text, row.all)) return row.reason;
  }
  return {"LaunchFailed", "Instance launch failed"};
}

Error combine_fleet_errors(const std::vector<aws::FleetError>& errors) {
  std::set<std::string> texts;
  const aws::FleetError* other = nullptr;
  for (const aws::FleetError& error : errors) {
    texts.insert(error.code + ": " + error.message);
    if (other == nullptr && classify_launch(error.code) == LaunchProblem::kOther) other = &error;
  }
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "" : "; ") + text;
  if (other == nullptr) {
    return {Code::kInsufficientCapacity,
            list.empty() ? "the fleet brought no instance" : "with fleet error(s), " + list};
  }
  const LaunchReason why = launch_reason(other->code + ": " + other->message);
  return {aws::classify(other->code), std::string(why.reason) + ": " + std::string(why.message) + ": " + list};
}

}  // namespace tenon::cloud
