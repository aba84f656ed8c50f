// Emptiness: removes nodes on which no pod has a positive eviction cost, without a replacement. Pure.
// parity: karpenter pkg/controllers/disruption/emptiness.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "disruption/candidates.h"
#include "disruption/headroom.h"

namespace tenon::disruption {

// Returns whether the node is empty, its pods have not changed for consolidateAfter, and its pool consolidates nodes.
bool counts_as_empty(const Candidate& candidate);
// Returns one move of all empty nodes that the budgets allow, the most expensive first; std::nullopt if there are none.
// Adds to `kept` why the others stay.
std::optional<Move> find_empty(const scheduling::Snapshot& snapshot, const Options& options,
                               const std::vector<Candidate>& all, const Headroom& held,
                               std::map<std::string, Kept>& kept);

}  // namespace tenon::disruption
