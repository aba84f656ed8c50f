// What becomes known of an instance by its launch, or from a description of it. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "aws/ec2.h"
#include "cloud/provider.h"
#include "model/instance_type.h"
#include "model/node_claim.h"
#include "model/node_class.h"
#include "model/requirement.h"

namespace tenon::cloud {

inline constexpr std::string_view kLabelTenancy = "karpenter.k8s.aws/instance-tenancy";
// "dedicated" if the claim's requirements rule "default" out, which is cheaper. (Karpenter: as soon as they allow it.)
std::string tenancy_of(const model::NodeClaim& claim);
std::string tenancy_of(const model::Requirements& requirements);
// They speak of the tenancy, and "dedicated" is allowed.
bool admits_dedicated(const model::Requirements& requirements);

// on-demand, spot, or reserved: launched into a capacity reservation and still in it.
std::string capacity_type_of(const aws::InstanceInfo& info);

// Of what EC2 launched or was asked for: it echoes the override that it took; should it leave the zone out, the subnet
// tells it.
std::string zone_of(const aws::FleetOverride& choice, const model::NodeClass& node_class);

// What the claim gets to know of a launched instance.
struct LaunchedFacts {
  std::string id, zone, capacity_type, image_id;
  Instant launched_at{};
  const model::Offering* reservation = nullptr;  // that it went into; null: none
  int64_t partition = 0;                         // of a placement group, that was asked for
  bool efa_of_class = false;                     // the class's own interfaces are such, whatever the pods ask for
};
Instance make_instance(const model::InstanceType& type, const LaunchedFacts& facts, const model::NodeClaim& claim);

}  // namespace tenon::cloud
