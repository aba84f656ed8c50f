// SPDX-License-Identifier: Apache-2.0
#include "cloud/aws_provider/util/type_match.h"

#include <algorithm>

#include "model/labels.h"

namespace tenon::cloud {
namespace {

bool of_offerings(std::string_view key) {
  return key == model::kLabelZone || key == model::kLabelZoneId || key == model::kLabelCapacityType ||
         key == model::kLabelReservationId || key == model::kLabelReservationType ||
         key == model::kLabelReservationInterruptible;
}

// A label that a type has only if it applies to the type. If it is missing, the requirement must tolerate its absence.
bool defined_by_types(std::string_view key) {
  return model::is_well_known_label(key) && (key.starts_with("karpenter.k8s.aws/") || key == model::kLabelWindowsBuild);
}

}  // namespace

bool type_matches(const model::InstanceType& type, const model::Requirements& requirements) {
  // A planned claim lists its types: the others are rejected without a comparison of all their labels.
  const auto listed = requirements.by_key().find(model::kLabelInstanceType);
  if (listed != requirements.by_key().end() && !listed->second.allows(type.name)) return false;
  for (const auto& [key, requirement] : requirements.by_key()) {
    if (of_offerings(key)) continue;
    const auto values = type.labels.find(key);
    if (values == type.labels.end()) {
      if (defined_by_types(key) && !requirement.tolerates_absence()) return false;
      continue;
    }
    const auto allowed = [&](const std::string& value) { return requirement.allows(value); };
    if (std::none_of(values->second.begin(), values->second.end(), allowed)) return false;
  }
  return true;
}

bool offering_matches(const model::Offering& offering, const model::Requirements& requirements) {
  const auto allows = [&](std::string_view key, const std::string& value) {
    const auto it = requirements.by_key().find(key);
    return it == requirements.by_key().end() || it->second.allows(value);
  };
  // Only reserved offerings carry reservation labels.
  const auto allows_reservation = [&](std::string_view key, const std::string& value) {
    const auto it = requirements.by_key().find(key);
    if (it == requirements.by_key().end()) return true;
    if (!offering.reservation_id.empty()) return it->second.allows(value);
    const model::Operator op = it->second.op();
    return op == model::Operator::kNotIn || op == model::Operator::kDoesNotExist;
  };
  const std::string interruptible = offering.reservation_interruptible ? "true" : "false";
  return allows(model::kLabelZone, offering.zone) && allows(model::kLabelZoneId, offering.zone_id) &&
         allows(model::kLabelCapacityType, offering.capacity_type) &&
         allows_reservation(model::kLabelReservationId, offering.reservation_id) &&
         allows_reservation(model::kLabelReservationType, offering.reservation_type) &&
         allows_reservation(model::kLabelReservationInterruptible, interruptible);
}

}  // namespace tenon::cloud
