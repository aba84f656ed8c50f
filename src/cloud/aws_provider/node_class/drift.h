// Compares an instance with what its node class would launch now. Pure. parity: provider-aws pkg/cloudprovider/drift.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "aws/ec2.h"
#include "model/instance_type.h"
#include "model/node_claim.h"
#include "model/node_class.h"

namespace tenon::cloud {

// Returns "NodeClassDrift" if claim and class have the same hash version and different hashes; empty otherwise.
std::string static_drift(const model::NodeClaim& claim, std::string_view hash, std::string_view hash_version);
// Returns "AMIDrift", "SecurityGroupDrift", "SubnetDrift" or empty, in that order. `type` may be null (EC2 no longer
// lists it: then the AMI is not compared).
std::string instance_drift(const aws::InstanceInfo& instance, const model::InstanceType* type,
                           const model::NodeClass& node_class);

// Returns "CapacityReservationDrift" if the class no longer selects the reservation of the instance.
std::string reservation_drift(const aws::InstanceInfo& instance, const model::NodeClass& node_class);
// Returns "PlacementGroupDrift" if the claim was launched into a group other than the class's current one, or into
// none.
std::string placement_group_drift(const model::NodeClaim& claim, const std::optional<aws::PlacementGroup>& group);

}  // namespace tenon::cloud
