// The conditions of a NodeClaim that make it a candidate for disruption: Consolidatable and Drifted. And its end by
// age. Pure. parity: karpenter pkg/controllers/nodeclaim/disruption, nodeclaim/expiration
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/instance_type.h"
#include "plan/plan.h"

namespace tenon::controllers::claim_conditions {

inline constexpr Duration kDriftInterval = 5min;   // between looks at a claim that did not change
inline constexpr Duration kTypeMayBeMissing = 1h;  // a younger claim is not judged by the list of types

struct View {
  model::NodeClaim claim;
  std::optional<model::NodePool> pool;
  const std::vector<model::InstanceType>* types = nullptr;  // of the pool; null if not known now
  std::string provider_reason;                              // what the cloud says about drift; empty: none
  bool provider_asked = true;                               // false: it could not say; Drifted by it stays as it is
  Instant now{};
};

plan::Plan decide(const View& view);

// Past expireAfter: the claim goes, whatever the budgets say.
// `pods`: how many of its Node's must move, for the metric.
plan::Plan decide_expiration(const model::NodeClaim& claim, size_t pods, Instant now);

}  // namespace tenon::controllers::claim_conditions
