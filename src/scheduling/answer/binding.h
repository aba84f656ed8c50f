// Which constraints bind: an irreducible set for an unschedulable pod of a finished plan and a NodePool. Without all
// constraints of the set, the pod, added alone to the plan, gets a new node of the pool; without only some of them, it
// does not. The literature calls this a minimal correction set.
//
// The set is found by deletion: starting without any constraint, each one is restored unless the pod then fits nowhere.
// A constraint can also help another one to hold (a node selector leaves a spread fewer zones to be even over), so the
// parts of the result are tried as well, and a part that suffices replaces it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scheduling/answer/constraint.h"
#include "scheduling/input/solution.h"
#include "scheduling/input/solve_options.h"
#include "scheduling/search_state/state.h"

namespace tenon::scheduling {

// Returns an empty set if no set explains: the pod fits with all constraints, or fits nowhere without any, or the
// budget is spent. `steps`: the budget; each try subtracts the types, nodes and pods that it reads.
std::vector<Constraint> binding_set(const Scene& scene, const SolveOptions& options, int64_t& steps);

// Replaces the solution's reasons with the binding sets in words, where there are any.
void name_binding_sets(const State& state, Solution& solution);

}  // namespace tenon::scheduling
