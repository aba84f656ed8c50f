// Finds omissions of a plan: room for an unplaced pod, types that a node could have. Tests only.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "scheduling/input/solution.h"
#include "scheduling/input/solve_options.h"
#include "scheduling/input/snapshot.h"

namespace tenon::scheduling::testing {

// Returns an unplaced pod that the plan, otherwise unchanged, could still place without breaking a rule, and where;
// empty if there is none. Tries every existing node, every planned node and a new node of every NodePool, type by type.
std::string missed_placement(const Snapshot& snapshot, const SolveOptions& options, const Solution& solution);

// Returns a type that a new node could have, with the plan otherwise unchanged, and that it does not list; or a cheaper
// type that it neither lists nor, within options.runners_up, names as ruled out; empty if there is none. Nodes of
// NodePools with limits are left out: their types are listed until the limits are used up.
std::string missed_type(const Snapshot& snapshot, const SolveOptions& options, const Solution& solution);

}  // namespace tenon::scheduling::testing
