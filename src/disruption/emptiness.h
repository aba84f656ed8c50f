// Nodes whose pods would not mind, which go without a replacement. Pure.
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

// Empty, for long enough, and of a pool that lets empty nodes go.
bool counts_as_empty(const Candidate& candidate);
// All empty nodes that the budgets let go, the dearest first, as one move; `kept` learns why the others stay.
std::optional<Move> find_empty(const scheduling::Snapshot& snapshot, const Options& options,
                               const std::vector<Candidate>& all, const Headroom& held,
                               std::map<std::string, Kept>& kept);

}  // namespace tenon::disruption
