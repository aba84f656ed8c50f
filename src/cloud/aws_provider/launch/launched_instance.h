// The facts about an instance that its launch, or a description of it, provides. Pure.
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
// Returns "dedicated" if the claim's requirements exclude the less expensive "default". (Karpenter: if they allow it.)
std::string tenancy_of(const model::NodeClaim& claim);
std::string tenancy_of(const model::Requirements& requirements);
// Returns whether the requirements name the tenancy and allow "dedicated".
bool admits_dedicated(const model::Requirements& requirements);

// Returns on-demand, spot, or reserved: launched into a capacity reservation and still in it.
std::string capacity_type_of(const aws::InstanceInfo& info);

// Returns the zone of an override in EC2's answer; if the override has no zone, the zone of its subnet.
std::string zone_of(const aws::FleetOverride& choice, const model::NodeClass& node_class);

// Facts for make_instance() that the type and the claim do not contain.
struct LaunchedFacts {
  std::string id, zone, capacity_type, image_id;
  Instant launched_at{};
  const model::Offering* reservation = nullptr;  // that it was launched into; null: none
  int64_t partition = 0;                         // of a placement group, if one was requested
  bool efa_of_class = false;                     // the class itself has EFA interfaces, independent of the pods
};
Instance make_instance(const model::InstanceType& type, const LaunchedFacts& facts, const model::NodeClaim& claim);

}  // namespace tenon::cloud
