// Creates instances from a launch template and the overrides of a request. Shared by CreateFleet and RunInstances. The
// caller holds the world's mutex.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "awssim/account/wire.h"
#include "awssim/account/world.h"

namespace tenon::awssim::ec2 {

// The overrides of a request; empty fields: the template decides.
struct LaunchRequest {
  const LaunchTemplate* launch_template = nullptr;  // null: none
  std::string instance_type, image_id, subnet_id, zone;
  bool spot = false;
  Params data;  // RunInstances: the same names as in a template
};

struct LaunchSpec {
  const catalog::InstanceFacts* facts = nullptr;
  const Image* image = nullptr;
  Subnet* subnet = nullptr;
  const LaunchTemplate* launch_template = nullptr;
  bool spot = false;
  model::Price price;
  std::vector<std::string> security_groups;
  std::string profile_arn, user_data;
  int64_t root_volume_gib = 0;
  std::string reservation_preference, capacity_reservation_id;
  std::string placement_group_id, tenancy = "default";
  bool enclaves = false;
  int64_t partition = 0;
  Tags tags;  // from the template, for its instances
};

// Errors: EC2's codes: InvalidParameterValue, InvalidAMIID.NotFound, InvalidSubnetID.NotFound, InvalidGroup.NotFound,
// InsufficientInstanceCapacity (the type is not sold here), MissingParameter, ….
Outcome<LaunchSpec> resolve_launch(World& world, const LaunchRequest& request);

struct LaunchOrder {
  Tags tags;  // of the request; they override the template's
  std::string fleet_id, reservation_id, client_token;
  Instant now{};
};
// Errors: InsufficientFreeAddressesInSubnet, ReservationCapacityExceeded, InsufficientInstanceCapacity (a placement
// group is full).
Outcome<Instance*> launch(World& world, const LaunchSpec& spec, const LaunchOrder& order);

// The tags of a request's TagSpecification.N for resources of this type. Errors: InvalidParameterValue for tags that
// AWS rejects ("aws:…", too long); TagLimitExceeded.
Outcome<Tags> tags_for(const Params& params, std::string_view resource_type);
Outcome<void> check_tags(const Tags& tags);

}  // namespace tenon::awssim::ec2
