// Turns a finished State into a Solution: the claim of each new node with the types that it lists, and the reasons of
// unschedulable pods.
// explain.cc and runners_up.cc define the functions of their names.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scheduling/input/solution.h"
#include "scheduling/search_state/state.h"

namespace tenon::scheduling {

Solution finish(const State& state);
// Returns the new nodes of the bins from `first` on, all of which are new nodes. `below`: by bin, the price that every
// offering of the node stays below; empty: no cap.
std::vector<PlannedNode> finish_nodes(const State& state, size_t first,
                                      const std::vector<std::optional<model::Price>>& below);

// Returns why this pod is unschedulable, in Karpenter's words, one sentence per pool.
Unschedulable explain(const State& state, size_t pod);

// Returns cheaper types that the node cannot be, and why; at most SolveOptions::runners_up.
std::vector<RunnerUp> runners_up(const State& state, const Bin& bin, const PlannedNode& node);

}  // namespace tenon::scheduling
