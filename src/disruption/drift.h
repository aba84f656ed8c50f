// Drift: replaces nodes that no longer match their NodePool or node class, one after the other, at any price. Pure.
// parity: karpenter pkg/controllers/disruption/drift.go, staticdrift.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "disruption/candidates.h"

namespace tenon::disruption {

// The maximum number of moves of drifted nodes in one pass. Each takes a solve(); the next pass finds further moves.
inline constexpr int kDriftMovesPerPass = 10;

// Returns the number of drifted candidates, before budgets and the placement of their pods are considered.
int count_drifted(const scheduling::Snapshot& snapshot, const Options& options);

// Returns the move of the first drifted node whose pods can all be scheduled: nodes without pods first, then the
// longest drifted. Skips the nodes in `tried`, and adds to it the nodes with unschedulable pods. Adds to `kept` why
// nodes stay.
std::optional<Move> find_drifted(const scheduling::Snapshot& snapshot, const Options& options,
                                 std::set<std::string>& tried, std::map<std::string, Kept>& kept);
// Returns all moves of drifted nodes of static pools that may start now. Each launches one node of the pool's template.
std::vector<Move> find_static_drift(const scheduling::Snapshot& snapshot, const Options& options,
                                    std::map<std::string, Kept>& kept);

}  // namespace tenon::disruption
