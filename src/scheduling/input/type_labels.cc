// SPDX-License-Identifier: Apache-2.0
#include "scheduling/input/type_labels.h"

#include <algorithm>
#include <array>

#include "model/labels.h"

namespace tenon::scheduling {
namespace {

constexpr std::array kOfferingKeys{
    model::kLabelZone,          model::kLabelZoneId,          model::kLabelCapacityType,
    model::kLabelReservationId, model::kLabelReservationType, model::kLabelReservationInterruptible};

}  // namespace

std::span<const std::string_view> offering_keys() { return kOfferingKeys; }

std::optional<std::string_view> offering_value(std::string_view key, const model::Offering& offering) {
  if (key == model::kLabelZone) return offering.zone;
  if (key == model::kLabelCapacityType) return offering.capacity_type;
  if (key == model::kLabelZoneId) return offering.zone_id;
  if (key == model::kLabelReservationId) return offering.reservation_id;
  if (key == model::kLabelReservationType) return offering.reservation_type;
  if (key == model::kLabelReservationInterruptible) {
    if (offering.reservation_id.empty()) return "";
    return offering.reservation_interruptible ? "true" : "false";
  }
  return std::nullopt;
}

bool type_allowed(const model::Requirement& r, const model::InstanceType& type) {
  if (r.key() == model::kLabelInstanceType) return r.allows(type.name);
  const auto at = type.labels.find(r.key());
  if (at == type.labels.end() || at->second.empty()) return r.tolerates_absence();
  return std::any_of(at->second.begin(), at->second.end(), [&](const auto& value) { return r.allows(value); });
}

bool row_allowed(const model::Requirement& r, const model::InstanceType& type, const model::Offering& offering) {
  const auto value = offering_value(r.key(), offering);
  if (!value) return type_allowed(r, type);
  return value->empty() ? r.tolerates_absence() : r.allows(*value);
}

}  // namespace tenon::scheduling
