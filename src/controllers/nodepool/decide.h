// A NodePool's status and hash annotations. Pure.
// parity: karpenter pkg/controllers/nodepool (counter, readiness, validation, hash)
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "controllers/registration_health.h"
#include "plan/plan.h"

namespace tenon::controllers::nodepool {

struct View {
  model::NodePool pool;
  std::optional<model::NodeClass> node_class;  // the referenced node class, if it exists
  // Whether the pool or all its claims have the current version of the hash. The pool is stamped after its claims:
  // beside a stamped pool, a claim with the old version would never drift.
  bool claims_stamped = false;
  model::Resources used;  // capacity of its nodes that are not being deleted, with "nodes"
  std::optional<RegistrationHealth::Verdict> health;
  Instant now{};
};

// True if the pool or its class was edited since registrations were last judged, by this process or an earlier one:
// earlier registrations no longer count. parity: karpenter pkg/controllers/nodepool/registrationhealth
// (status.nodeClassObservedGeneration)
bool health_outdated(const View& view);

// Whether the object has the current version of the hash.
bool stamped(const model::ObjectMeta& meta);
// Returns the plan that stamps a claim again after the version of the hash has changed, so that no node drifts because
// of a format. `hash`: of its pool.
plan::Plan restamp(const model::NodeClaim& claim, const std::string& hash);

plan::Plan decide(const View& view);

}  // namespace tenon::controllers::nodepool
