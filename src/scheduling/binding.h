// Which constraints bind: for a pod that a finished plan leaves behind and a NodePool, an irreducible set. Without all
// of it the pod, added alone to the plan, would get a new node of the pool; without only a part of it, it would not.
//
// The set is found by deletion: of all constraints, one after the other is put back unless the pod then fits nowhere.
// A rule can also help another one to hold (a node selector leaves a spread fewer zones to be even over), so the parts
// of what remains are tried as well, and a part that is enough takes its place.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scheduling/constraint.h"
#include "scheduling/state.h"

namespace tenon::scheduling {

// Empty if there is none to name: the pool could buy nothing for any pod, or the budget is spent. `steps` counts down
// by what each try looks at: types, nodes and their pods.
std::vector<Constraint> binding_set(const Scene& scene, const SolveOptions& options, int64_t& steps);

// Puts them, in words, in the place of the solution's reasons.
void name_binding_sets(const State& state, Solution& solution);

}  // namespace tenon::scheduling
