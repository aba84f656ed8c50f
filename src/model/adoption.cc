// SPDX-License-Identifier: Apache-2.0
#include "model/adoption.h"

#include <string>

namespace tenon::model {

void mark_launched_by_tenon(ObjectMeta& claim) {
  claim.annotations[std::string(kAnnotationLaunchedBy)] = kLaunchedByTenon;
}

void mark_adopted(ObjectMeta& claim, Instant now) {
  const std::optional<Adoption> adoption = adoption_of(claim, now);
  if (!adoption || adoption->recorded) return;
  claim.annotations[std::string(kAnnotationAdoptedAt)] = format_rfc3339(now);
}

std::optional<Adoption> adoption_of(const ObjectMeta& claim, Instant now) {
  if (claim.annotations.contains(kAnnotationLaunchedBy)) return std::nullopt;
  const std::optional<Instant> recorded = parse_rfc3339(lookup(claim.annotations, kAnnotationAdoptedAt));
  return Adoption{recorded.value_or(now), recorded.has_value()};
}

}  // namespace tenon::model
