// Whether an instance still is what its node class would launch. Pure. parity: provider-aws pkg/cloudprovider/drift.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "aws/ec2.h"
#include "model/instance_type.h"
#include "model/node_claim.h"
#include "model/node_class.h"

namespace tenon::cloud {

// "NodeClassDrift", when claim and class carry the same hash version and different hashes; empty else.
std::string static_drift(const model::NodeClaim& claim, std::string_view hash, std::string_view hash_version);
// "AMIDrift", "SecurityGroupDrift", "SubnetDrift" or empty, in that order. `type` may be null (EC2 no longer lists it:
// then the AMI is not judged).
std::string instance_drift(const aws::InstanceInfo& instance, const model::InstanceType* type,
                           const model::NodeClass& node_class);

// "CapacityReservationDrift": the instance was launched into a reservation that the class no longer selects.
std::string reservation_drift(const aws::InstanceInfo& instance, const model::NodeClass& node_class);
// "PlacementGroupDrift": the claim was launched into another group than the class names today, or into none.
std::string placement_group_drift(const model::NodeClaim& claim, const std::optional<aws::PlacementGroup>& group);

}  // namespace tenon::cloud
