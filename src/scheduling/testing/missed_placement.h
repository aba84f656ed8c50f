// What a plan leaves that it should not: room that an unplaced pod could have, types that a node could be. Tests only.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "scheduling/solver.h"

namespace tenon::scheduling::testing {

// An unplaced pod that the plan, otherwise as it is, could still take without breaking a rule, and where; empty if
// there is none. Tries every node that is there, every planned node and a new node of every pool, type by type.
std::string missed_placement(const Snapshot& snapshot, const SolveOptions& options, const Solution& solution);

// A type that a new node could be, the plan otherwise as it is, and that it does not list, or a cheaper one that it
// lists neither so nor, with options.runners_up left to spare, as ruled out; empty if there is none. Nodes of pools
// with limits are left out: there types are listed until the limits are used up.
std::string missed_type(const Snapshot& snapshot, const SolveOptions& options, const Solution& solution);

}  // namespace tenon::scheduling::testing
