// What disruption tells in the cluster beside what it does: why nodes stay, which could go, how a move was weighed.
// Pure. parity: karpenter pkg/controllers/disruption/events
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "disruption/disruption.h"
#include "plan/plan.h"
#include "scheduling/snapshot.h"

namespace tenon::controllers::disruption {

// DisruptionBlocked and Unconsolidatable of what stays, on Node and NodeClaim; DisruptionBlocked of NodePools whose
// budgets allow nothing; ConsolidationCandidate of nodes that may be replaced.
plan::Plan pass_events(const scheduling::Snapshot& snapshot, const tenon::disruption::Pass& pass);
// ConsolidationRejected, for the reason that a second look gave.
plan::Plan rejected_events(const scheduling::Snapshot& snapshot, const tenon::disruption::Move& move,
                           const std::string& reason);
// ConsolidationApproved of NodePools with the policy Balanced.
plan::Plan approved_events(const scheduling::Snapshot& snapshot, const tenon::disruption::Move& move);

}  // namespace tenon::controllers::disruption
