// A NodePool's status and hash annotations. Pure.
// parity: karpenter pkg/controllers/nodepool (counter, readiness, validation, hash)
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "controllers/registration_health.h"
#include "plan/plan.h"

namespace tenon::controllers::nodepool {

struct View {
  model::NodePool pool;
  std::optional<model::NodeClass> node_class;                   // the referenced node class, if it exists
  std::vector<std::shared_ptr<const model::NodeClaim>> claims;  // of this pool
  model::Resources used;  // capacity of its nodes that are not being deleted, with "nodes"
  std::optional<RegistrationHealth::Verdict> health;
  Instant now{};
};

// True if the pool or its class was edited since registrations were last judged, by this process or an earlier one:
// earlier registrations no longer count. parity: karpenter pkg/controllers/nodepool/registrationhealth
// (status.nodeClassObservedGeneration)
bool health_outdated(const View& view);

plan::Plan decide(const View& view);

}  // namespace tenon::controllers::nodepool
