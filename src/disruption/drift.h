// Nodes that no longer are what their NodePool or node class asks for: replaced one after the other, whatever the
// replacement costs. Pure. parity: karpenter pkg/controllers/disruption/drift.go, staticdrift.go
//
// The first replacement of a roll-out goes alone: while a NodePool has no healthy node that has not drifted, one of its
// nodes goes at a time, so that an image that cannot join takes no more than one node with it. Nor does a pool roll on
// whose last nodes did not register.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "disruption/candidates.h"

namespace tenon::disruption {

// Moves of drifted nodes that one pass starts; each is a simulation, and the next pass follows at once.
inline constexpr int kDriftMovesPerPass = 10;

// Nodes that have drifted and may go, budgets and what becomes of their pods aside.
int count_drifted(const scheduling::Snapshot& snapshot, const Options& options);

// The node that drifted first and whose pods find a place. `tried` are not looked at, and learns of those that were in
// vain; `kept` learns why nodes stay.
std::optional<Move> find_drifted(const scheduling::Snapshot& snapshot, const Options& options,
                                 std::set<std::string>& tried, std::map<std::string, Kept>& kept);
// The same of static pools, where a node is replaced by one like it; all that may go now.
std::vector<Move> find_static_drift(const scheduling::Snapshot& snapshot, const Options& options,
                                    std::map<std::string, Kept>& kept);

}  // namespace tenon::disruption
