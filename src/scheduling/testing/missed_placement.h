// What an unplaced pod would have needed: room that the plan leaves. Tests only.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "scheduling/solver.h"

namespace tenon::scheduling::testing {

// An unplaced pod that the plan, otherwise as it is, could still take without breaking a rule, and where; empty if
// there is none. Tries every node that is there, every planned node and a new node of every pool, type by type.
std::string missed_placement(const Snapshot& snapshot, const SolveOptions& options, const Solution& solution);

}  // namespace tenon::scheduling::testing
