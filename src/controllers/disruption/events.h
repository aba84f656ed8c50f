// Events of disruption beside its actions: why nodes stay, which are candidates, how a move was judged. Pure.
// parity: karpenter pkg/controllers/disruption/events
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "disruption/disruption.h"
#include "plan/plan.h"
#include "scheduling/input/snapshot.h"

namespace tenon::controllers::disruption {

using Emit = std::function<void(plan::RecordEvent)>;
// Emits DisruptionBlocked and Unconsolidatable for nodes that stay, on Node and NodeClaim; DisruptionBlocked for
// NodePools whose budgets allow nothing; ConsolidationCandidate for nodes that may be replaced.
void pass_events(const scheduling::Snapshot& snapshot, const tenon::disruption::Pass& pass, const Emit& emit);
// Returns ConsolidationRejected with the reason of the validation.
plan::Plan rejected_events(const scheduling::Snapshot& snapshot, const tenon::disruption::Move& move,
                           const std::string& reason);
// Returns ConsolidationApproved for NodePools with the policy Balanced.
plan::Plan approved_events(const scheduling::Snapshot& snapshot, const tenon::disruption::Move& move);

}  // namespace tenon::controllers::disruption
