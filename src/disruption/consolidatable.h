// Selects the candidates of consolidation by the NodePool's policy, its consolidateAfter, the labels of the node, and
// the time since its adoption. Pure. parity: karpenter pkg/controllers/disruption/consolidation.go ShouldDisrupt,
// nodeclaim/disruption/consolidation.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "disruption/candidates.h"

namespace tenon::disruption {

// Returns what excludes a candidate from emptiness and consolidation: its pool is static, has consolidation disabled,
// or waits for consolidateAfter. std::nullopt: nothing does.
std::optional<Kept> why_not_yet(const scheduling::Snapshot& snapshot, const Candidate& candidate);

// Returns why consolidation leaves the node alone although its NodePool allows it: it was adopted less than
// Options::adoption_wait ago (model/adoption.h). std::nullopt: it does not.
std::optional<Kept> adopted_lately(const scheduling::Snapshot& snapshot, const Options& options,
                                   const Candidate& candidate);

// Returns the candidates that consolidation may remove. Adds to `kept` why others stay. Skips empty nodes, which
// emptiness.h handles.
std::vector<Candidate> underutilized(const scheduling::Snapshot& snapshot, const Options& options,
                                     const std::vector<Candidate>& all, const BudgetLeft& budget,
                                     std::map<std::string, Kept>& kept);

}  // namespace tenon::disruption
