// Which candidates consolidation may look at: the NodePool's policy, its consolidateAfter, what is known of the node.
// Pure. parity: karpenter pkg/controllers/disruption/consolidation.go ShouldDisrupt,
// nodeclaim/disruption/consolidation.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "disruption/candidates.h"

namespace tenon::disruption {

// What keeps a candidate from going for being empty or underutilized: its pool is static, does not consolidate, or
// waits for consolidateAfter.
std::optional<Kept> why_not_yet(const scheduling::Snapshot& snapshot, const Candidate& candidate);

// Those that a consolidation may move; `kept` learns why the others stay. Empty nodes are emptiness's.
std::vector<Candidate> underutilized(const scheduling::Snapshot& snapshot, const std::vector<Candidate>& all,
                                     const BudgetLeft& budget, std::map<std::string, Kept>& kept);

}  // namespace tenon::disruption
