// Whether a Node is what was bought: each resource that its claim asked for must be there, nearly in full. Pure.
// parity: karpenter pkg/controllers/nodeclaim/consistency
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/plan.h"

namespace tenon::controllers::consistency {

inline constexpr Duration kScanInterval = 10min;  // of one claim
inline constexpr int64_t kEnoughPercent = 90;     // of what the claim expects

// Condition ConsistentStateFound, and an event for each resource that falls short. A Node that is not initialized yet,
// or on its way out, is not judged: it passes.
plan::Plan decide(const model::NodeClaim& claim, const model::Node& node, Instant now);

}  // namespace tenon::controllers::consistency
