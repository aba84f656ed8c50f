// A finished State as a Solution: what each node's claim will say, which types it may be, and why the rest stays
// behind.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scheduling/state.h"

namespace tenon::scheduling {

Solution finish(const State& state);
// One of its nodes to buy; without an id.
PlannedNode finish_node(const State& state, const Bin& bin);

// Why this pod found no place. The words are Karpenter's, one sentence per pool.
Unschedulable explain(const State& state, size_t pod);

// Cheaper types that the node cannot be, and why; at most SolveOptions::runners_up.
std::vector<RunnerUp> runners_up(const State& state, const Bin& bin, const PlannedNode& node);

}  // namespace tenon::scheduling
