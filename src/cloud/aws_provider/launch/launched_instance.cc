// SPDX-License-Identifier: Apache-2.0
#include "cloud/aws_provider/launch/launched_instance.h"

#include "cloud/aws_provider/launch/launch_group.h"
#include "cloud/aws_provider/launch/launch_templates.h"
#include "cloud/aws_provider/util/tags.h"
#include "model/generations.h"
#include "model/labels.h"

namespace tenon::cloud {

std::string capacity_type_of(const aws::InstanceInfo& info) {
  if (info.spot) return std::string(model::kCapacitySpot);
  const bool reserved = !info.reservation_id.empty() && info.reservation_preference == kReservationsOnly;
  return std::string(reserved ? model::kCapacityReserved : model::kCapacityOnDemand);
}

std::string zone_of(const aws::FleetOverride& choice, const model::NodeClass& node_class) {
  if (!choice.zone.empty()) return choice.zone;
  for (const model::ResolvedSubnet& subnet : node_class.subnets) {
    if (subnet.id == choice.subnet_id) return subnet.zone;
  }
  return {};
}

Instance make_instance(const model::InstanceType& type, const LaunchedFacts& facts, const model::NodeClaim& claim) {
  Instance instance;
  instance.provider_id = format_provider_id(facts.zone, facts.id);
  instance.instance_type = type.name;
  instance.zone = facts.zone;
  instance.capacity_type = facts.capacity_type;
  instance.image_id = facts.image_id;
  instance.claim_name = claim.meta.name;
  instance.pool = claim.pool();
  instance.launched_at = facts.launched_at;
  for (const auto& [key, values] : type.labels) {
    if (values.size() == 1) instance.labels[key] = values.front();
  }
  for (const model::Offering& offering : type.offerings) {
    if (offering.zone == facts.zone) instance.zone_id = offering.zone_id;
  }
  const auto put = [&](std::string_view key, const std::string& value) {
    if (!value.empty()) instance.labels[std::string(key)] = value;
  };
  put(model::kLabelZone, instance.zone);
  put(model::kLabelZoneId, instance.zone_id);
  put(model::kLabelCapacityType, instance.capacity_type);
  const auto [pool_key, pool_name] = model::pool_label(instance.pool);
  put(pool_key, std::string(pool_name));
  put(kLabelTenancy, tenancy_of(claim));
  if (facts.reservation != nullptr) {
    put(model::kLabelReservationId, facts.reservation->reservation_id);
    put(model::kLabelReservationType, facts.reservation->reservation_type);
    put(model::kLabelReservationInterruptible, facts.reservation->reservation_interruptible ? "true" : "false");
  }
  if (facts.partition > 0) put(model::kLabelPlacementGroupPartition, std::to_string(facts.partition));
  const bool with_efa = facts.efa_of_class || claim.requests.get(kEfa) > 0;  // else the instance has no such interface
  const auto visible = [with_efa](const model::Resources& all) {
    model::Resources out;
    for (const auto& [name, amount] : all.entries()) {
      if (amount != 0 && (with_efa || name != kEfa)) out.set(name, amount);
    }
    return out;
  };
  instance.capacity = visible(type.capacity);
  instance.allocatable = visible(type.allocatable());
  return instance;
}

std::string tenancy_of(const model::NodeClaim& claim) {
  const auto requirements = model::Requirements::make(claim.requirements);
  return requirements ? tenancy_of(*requirements) : "default";
}

std::string tenancy_of(const model::Requirements& requirements) {
  const std::string usual = "default", dedicated = "dedicated";
  const model::Requirement wanted = requirements.get(kLabelTenancy);
  return !wanted.allows(usual) && wanted.allows(dedicated) ? dedicated : usual;
}

bool admits_dedicated(const model::Requirements& requirements) {
  return requirements.has(kLabelTenancy) && requirements.get(kLabelTenancy).allows("dedicated");
}

}  // namespace tenon::cloud
