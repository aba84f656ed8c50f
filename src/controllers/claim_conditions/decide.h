// The conditions of a NodeClaim that make it a candidate for disruption: Consolidatable and Drifted. Also its
// expiration. Pure. parity: karpenter pkg/controllers/nodeclaim/disruption, nodeclaim/expiration
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/instance_type.h"
#include "plan/plan.h"

namespace tenon::controllers::claim_conditions {

inline constexpr Duration kStampInterval = 10s;    // at most one stamp per claim in this time
inline constexpr Duration kDriftInterval = 5min;   // between checks of an unchanged claim
inline constexpr Duration kTypeMayBeMissing = 1h;  // a younger claim is not checked against the list of types

struct View {
  model::NodeClaim claim;
  std::optional<model::NodePool> pool;
  const std::vector<model::InstanceType>* types = nullptr;  // of the pool; null if not cached now
  std::string provider_reason;                              // the cloud's reason for drift; empty: none
  bool provider_asked = true;                               // false: no answer; a Drifted by the cloud stays
  Instant now{};
};

plan::Plan decide(const View& view);

// Stamps the claim after an event of a pod on its Node; nothing within kStampInterval of the last stamp. The stamp also
// clears Consolidatable, which decide() would clear in a second write. `pool`: of the claim; null: absent or
// unreadable.
plan::Plan decide_stamp(const model::NodeClaim& claim, const model::NodePool* pool, Instant now);
// True if the last stamp is kStampInterval old.
bool stamp_due(const model::NodeClaim& claim, Instant now);

// Returns false if the pool differs in its status alone, on which no condition depends. The controller writes it at
// each launch, and a large pool has thousands of claims.
bool judges_anew(const model::NodePool& before, const model::NodePool& after);

// Deletes a claim that is past expireAfter, regardless of budgets. A NodeClaim keeps the expireAfter with which it was
// created; ttlSecondsUntilExpired of a Provisioner, and the NodePool's expireAfter for a NodeClaim of v1beta1, apply as
// they are now, and not at all while the pool cannot be read. `pool`: of the claim; null: absent or unreadable. `pods`:
// how many of its Node's pods must be rescheduled, for the metric.
plan::Plan decide_expiration(const model::NodeClaim& claim, const model::NodePool* pool, size_t pods, Instant now);

}  // namespace tenon::controllers::claim_conditions
