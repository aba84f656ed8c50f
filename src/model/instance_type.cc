// SPDX-License-Identifier: Apache-2.0
#include "model/instance_type.h"

#include <algorithm>

#include "model/labels.h"

namespace tenon::model {

Resources InstanceType::allocatable() const {
  Resources result = capacity;
  for (const auto& [resource, amount] : overhead.entries()) {
    if (capacity.has(resource)) result.set(resource, std::max<int64_t>(0, capacity.get(resource) - amount));
  }
  for (const auto& [resource, amount] : capacity.entries()) {
    if (resource.starts_with("hugepages-")) result.set(kMemory, std::max<int64_t>(0, result.get(kMemory) - amount));
  }
  return result;
}

Requirements InstanceType::requirements() const {
  Requirements result;
  for (const auto& [key, values] : labels) result.replace(Requirement::in(key, values));
  std::vector<std::string> zones, zone_ids, capacity_types;
  for (const Offering& offering : offerings) {
    zones.push_back(offering.zone);
    if (!offering.zone_id.empty()) zone_ids.push_back(offering.zone_id);
    capacity_types.push_back(offering.capacity_type);
  }
  const auto from_offerings = [&](std::string_view key, std::vector<std::string> values) {
    if (!result.has(key)) result.replace(Requirement::in(key, std::move(values)));
  };
  from_offerings(kLabelZone, std::move(zones));
  from_offerings(kLabelZoneId, std::move(zone_ids));
  from_offerings(kLabelCapacityType, std::move(capacity_types));
  from_offerings(kLabelInstanceType, {name});
  return result;
}

}  // namespace tenon::model
