// What every provision plan must be, whatever the scenario is about.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "scheduling/solver.h"

namespace tenon::scenarios {

// An unplaced pod that the plan, otherwise as it is, could still take without breaking a rule, and where; empty if
// there is none. Tries every node that is there, every planned node and a new node of every pool, type by type.
std::string missed_placement(const scheduling::Snapshot& snapshot, const scheduling::SolveOptions& options,
                             const scheduling::Solution& solution);

}  // namespace tenon::scenarios
