// Every class of EC2's errors, answered by the wire-level AWS, and the reaction of the provider.
// parity: provider-aws pkg/errors/errors.go
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "aws_world.h"
#include "cloud/aws_provider/types/unavailable_offerings.h"

namespace tenon::cloud {
namespace {

using testing::some_claim;
using testing::some_class;
using testing::World;

constexpr const char* kZones[] = {"us-east-1a", "us-east-1b", "us-east-1c", "us-east-1d"};

// Available offerings: of the requested type, and of another one.
struct Available {
  int own_spot = 0, own_on_demand = 0, other_spot = 0, other_on_demand = 0;
  friend bool operator==(const Available&, const Available&) = default;
};
std::ostream& operator<<(std::ostream& out, const Available& a) {
  return out << a.own_spot << " " << a.own_on_demand << " " << a.other_spot << " " << a.other_on_demand;
}
constexpr Available kAll{4, 4, 4, 4};

Available available(World& world, const model::NodeClass& node_class) {
  Available found;
  const auto types = world.provider->instance_types(node_class, {});
  EXPECT_TRUE(types);
  for (const model::InstanceType& type : **types) {
    const bool own = type.name == "m5.large";
    if (!own && type.name != "m5.xlarge") continue;
    for (const model::Offering& offering : type.offerings) {
      const bool spot = offering.capacity_type == model::kCapacitySpot;
      int& count =
          own ? (spot ? found.own_spot : found.own_on_demand) : (spot ? found.other_spot : found.other_on_demand);
      count += offering.available ? 1 : 0;
    }
  }
  return found;
}

// A Fleet without instances: the same error for every requested offering. An unknown error is retried.
struct FleetRow {
  std::string error;
  Code code;
  std::string reason;
  Available left = kAll;
};
class FleetErrors : public ::testing::TestWithParam<FleetRow> {};

TEST_P(FleetErrors, HaveTheirReaction) {
  const FleetRow& row = GetParam();
  World world;
  const model::NodeClass node_class = world.ready_class(some_class());
  ASSERT_EQ(available(world, node_class), kAll);
  for (const char* zone : kZones) world.faults["CreateFleet/m5.large/" + std::string(zone) + "/spot"] = row.error;
  const auto claim = some_claim("default-1", {"m5.large"}, "spot");
  const auto made = world.provider->create(claim, node_class, {}, {});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, row.code) << made.error().message;
  EXPECT_EQ(world.provider->launch_failure(made.error()), row.reason) << made.error().message;
  EXPECT_EQ(available(world, node_class), row.left);
  EXPECT_EQ(world.running(), 0u);
  world.faults.clear();
  world.runtime.advance(kUnavailableFor);
  EXPECT_EQ(available(world, node_class), kAll) << "it is forgotten after a while";
  const auto again = world.provider->create(claim, node_class, {}, {});
  EXPECT_TRUE(again) << again.error().message;
}

constexpr Available kNoOwnSpot{0, 4, 4, 4}, kNoSpot{0, 4, 0, 4}, kNothing{0, 0, 0, 0};

INSTANTIATE_TEST_SUITE_P(
    Codes, FleetErrors,
    ::testing::Values(
        FleetRow{"InsufficientInstanceCapacity", Code::kInsufficientCapacity, "LaunchFailed", kNoOwnSpot},
        FleetRow{"UnfulfillableCapacity", Code::kInsufficientCapacity, "LaunchFailed", kNoOwnSpot},
        FleetRow{"Unsupported", Code::kInsufficientCapacity, "LaunchFailed", kNoOwnSpot},
        FleetRow{"ReservationCapacityExceeded", Code::kInsufficientCapacity, "LaunchFailed", kNoOwnSpot},
        FleetRow{"MaxSpotInstanceCountExceeded", Code::kInsufficientCapacity, "SpotQuotaExceeded", kNoOwnSpot},
        FleetRow{"VcpuLimitExceeded", Code::kInsufficientCapacity, "VCPULimitExceeded", kNoOwnSpot},
        FleetRow{"MaxFleetCountExceeded", Code::kInsufficientCapacity, "FleetQuotaExceeded", kNoOwnSpot},
        FleetRow{"InsufficientFreeAddressesInSubnet", Code::kInsufficientCapacity, "InsufficientFreeAddressesInSubnet",
                 kNothing},
        FleetRow{"AuthFailure.ServiceLinkedRoleCreationNotPermitted", Code::kInsufficientCapacity,
                 "SpotSLRCreationFailed", kNoSpot},
        FleetRow{"UnauthorizedOperation", Code::kForbidden, "Unauthorized"},
        FleetRow{"UnauthorizedOperation: … with an explicit deny in a permissions boundary", Code::kForbidden,
                 "Unauthorized"},
        FleetRow{"AuthFailure: Not authorized for images: [ami-1]", Code::kForbidden, "AMIAuthorizationFailure"},
        FleetRow{"InvalidAMIID.NotFound", Code::kNotFound, "AMINotFound"},
        FleetRow{"InvalidAMIID.Malformed", Code::kUnavailable, "InvalidAMIID"},
        FleetRow{"InvalidParameter: Security group sg-1 and subnet subnet-1 belong to different networks.",
                 Code::kUnavailable, "SecurityGroupSubnetVPCMismatch"},
        FleetRow{"InvalidParameterValue: Value (x) for parameter iamInstanceProfile.name is invalid.",
                 Code::kUnavailable, "InstanceProfileNameInvalid"},
        FleetRow{"InvalidUserData.Malformed: User data is limited to 16384 bytes", Code::kUnavailable,
                 "UserDataSizeLimitExceeded"},
        FleetRow{"InvalidParameterCombination: The specified instance type is not eligible for Free Tier.",
                 Code::kUnavailable, "FreeTierIneligible"},
        FleetRow{"PendingVerification", Code::kQuota, "AccountPendingVerification"},
        FleetRow{"InternalError", Code::kUnavailable, "InternalError"},
        FleetRow{"Unheard.Of", Code::kUnavailable, "LaunchFailed"}));

// CreateFleet itself is rejected.
struct RequestRow {
  std::string error;
  Code code;
  std::string reason;
  int calls = 1;  // of CreateFleet
};
class RequestErrors : public ::testing::TestWithParam<RequestRow> {};

TEST_P(RequestErrors, HaveTheirReaction) {
  const RequestRow& row = GetParam();
  World world;
  const model::NodeClass node_class = world.ready_class(some_class());
  const int before = world.fake->calls("CreateFleet");  // validation has launched one
  world.faults["CreateFleet"] = row.error;
  const auto claim = some_claim("default-1", {"m5.large"}, "spot");
  const auto made = world.provider->create(claim, node_class, {}, {});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, row.code) << made.error().message;
  EXPECT_EQ(world.provider->launch_failure(made.error()), row.reason) << made.error().message;
  EXPECT_EQ(world.fake->calls("CreateFleet") - before, row.calls);
  EXPECT_EQ(available(world, node_class), kAll) << "it says nothing of an offering";
  world.faults.clear();
  const auto again = world.provider->create(claim, node_class, {}, {});
  EXPECT_TRUE(again) << again.error().message;
}

INSTANTIATE_TEST_SUITE_P(
    Codes, RequestErrors,
    ::testing::Values(RequestRow{"UnauthorizedOperation", Code::kForbidden, "Unauthorized"},
                      RequestRow{"AccessDenied: … with an explicit deny in a service control policy", Code::kForbidden,
                                 "Unauthorized"},
                      RequestRow{"RequestLimitExceeded", Code::kThrottled, "RequestLimitExceeded", 3},
                      RequestRow{"InternalError", Code::kUnavailable, "InternalError", 3},
                      RequestRow{"ServiceUnavailable", Code::kUnavailable, "LaunchFailed", 3},
                      RequestRow{"MaxFleetCountExceeded", Code::kQuota, "FleetQuotaExceeded"},
                      RequestRow{"InvalidParameterValue", Code::kInvalid, "LaunchFailed"},
                      // The launch template is created again and the launch repeated, each time.
                      RequestRow{"InvalidLaunchTemplateName.NotFoundException", Code::kNotFound, "LaunchFailed", 4},
                      // An earlier launch is looked up; there is none, so another token is used.
                      RequestRow{"IdempotentParameterMismatch", Code::kInvalid, "LaunchFailed", 4}));

// A missing or existing object, where that is no failure.
TEST(ErrorClasses, AnInstanceThatIsNotFoundHasGone) {
  World world;
  const model::NodeClass node_class = world.ready_class(some_class());
  const auto made = world.provider->create(some_claim("default-1", {"m5.large"}, "spot"), node_class, {}, {});
  ASSERT_TRUE(made);
  world.faults["TerminateInstances"] = "InvalidInstanceID.NotFound";
  EXPECT_EQ(world.provider->remove(made->provider_id, {}).error().code, Code::kNotFound);
  world.faults = {{"DescribeInstances", "InvalidInstanceID.NotFound"}};
  EXPECT_EQ(world.provider->get(made->provider_id, {}).error().code, Code::kNotFound);
  model::NodeClaim claim = some_claim("default-1", {"m5.large"}, "spot");
  claim.provider_id = made->provider_id;
  EXPECT_EQ(world.provider->name_instance(claim, {}).error().code, Code::kNotFound);
}

TEST(ErrorClasses, AParameterThatIsNotFoundIsNoImage) {
  World world;
  world.faults["GetParameter"] = "ParameterNotFound";
  const auto resolved = world.provider->resolve(some_class(), {}, {});
  ASSERT_TRUE(resolved);
  const model::Condition* amis = model::find_condition(resolved->conditions, "AMIsReady");
  ASSERT_NE(amis, nullptr);
  EXPECT_EQ(amis->status + " " + amis->reason, "False AMINotFound");
}

TEST(ErrorClasses, AProfileThatExistsIsTaken) {
  World world;
  int asked = 0;
  world.faults["GetInstanceProfile"] = "NoSuchEntity";
  world.faults["CreateInstanceProfile"] = "EntityAlreadyExists";
  const auto resolved = world.provider->resolve(some_class(), {}, {});
  ASSERT_TRUE(resolved);
  EXPECT_FALSE(resolved->ready());
  asked = world.fake->calls("GetInstanceProfile");
  EXPECT_EQ(asked, 2) << "once before, and once after it was told to exist";
}

TEST(ErrorClasses, WhatIsNotThereAnyMoreIsCleanedUp) {
  World world;
  const model::NodeClass node_class = world.ready_class(some_class());
  world.faults = {{"RemoveRoleFromInstanceProfile", "NoSuchEntity"},
                  {"DeleteInstanceProfile", "NoSuchEntity"},
                  {"DeleteLaunchTemplate", "InvalidLaunchTemplateId.NotFound"}};
  const auto ended = world.provider->finalize(node_class, {});
  EXPECT_TRUE(ended) << ended.error().message;
}

}  // namespace
}  // namespace tenon::cloud
