// A finished State as a Solution: what each node's claim will say, which types it may be, and why the rest stays
// behind.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scheduling/state.h"

namespace tenon::scheduling {

Solution finish(const State& state);
// Its bins from this one on, all of them nodes to buy, each for less than its price.
std::vector<PlannedNode> finish_nodes(const State& state, size_t first,
                                      const std::vector<std::optional<model::Price>>& below);

// Why this pod found no place. The words are Karpenter's, one sentence per pool.
Unschedulable explain(const State& state, size_t pod);

// Cheaper types that the node cannot be, and why; at most SolveOptions::runners_up.
std::vector<RunnerUp> runners_up(const State& state, const Bin& bin, const PlannedNode& node);

}  // namespace tenon::scheduling
