// Records on a NodeClaim whether Tenon launched its node or adopted it: another controller, such as Karpenter, launched
// an adopted node. Annotations of ours, because Karpenter's API has no field for it; Karpenter ignores them. They are
// no part of a drift hash. Pure functions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "base/instant.h"
#include "model/meta.h"

namespace tenon::model {

// On every NodeClaim that Tenon creates. Any value counts.
inline constexpr std::string_view kAnnotationLaunchedBy = "tenon.dev/launched-by";
inline constexpr std::string_view kLaunchedByTenon = "tenon";
// On every other NodeClaim: when Tenon first observed it launched (RFC 3339, UTC).
inline constexpr std::string_view kAnnotationAdoptedAt = "tenon.dev/adopted-at";

// Marks a NodeClaim that is being created.
void mark_launched_by_tenon(ObjectMeta& claim);
// Records the adoption of a launched NodeClaim, unless Tenon launched it or its adoption is recorded already. A value
// that is not a time is replaced.
void mark_adopted(ObjectMeta& claim, Instant now);

struct Adoption {
  Instant at{};
  bool recorded = false;  // false: there is no valid record, and `at` is the present
};
// Returns when the node was adopted; std::nullopt: Tenon launched it. Fails closed: a NodeClaim without a valid record
// was adopted now.
std::optional<Adoption> adoption_of(const ObjectMeta& claim, Instant now);

}  // namespace tenon::model
