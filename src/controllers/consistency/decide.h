// Checks a Node against its claim: each resource that the claim requests must be there, nearly in full. Pure.
// parity: karpenter pkg/controllers/nodeclaim/consistency
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/plan.h"

namespace tenon::controllers::consistency {

inline constexpr Duration kScanInterval = 10min;  // of one claim
inline constexpr int64_t kEnoughPercent = 90;     // of what the claim expects

// Sets the condition ConsistentStateFound, and adds an event for each resource that falls short. A Node that is not
// initialized yet or is being deleted is not checked: it passes.
plan::Plan decide(const model::NodeClaim& claim, const model::Node& node, Instant now);

}  // namespace tenon::controllers::consistency
