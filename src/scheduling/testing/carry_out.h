// Carries out a plan: returns a cluster in which its nodes are ready, as planned, and its pods run. Uses the solution
// alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scheduling/input/solution.h"
#include "scheduling/input/snapshot.h"
namespace tenon::scheduling::testing {

// Only unplaced pods are pending in it. New nodes are named `prefix` and their id.
Snapshot carry_out(Snapshot snapshot, const Solution& plan, const std::string& prefix);

}  // namespace tenon::scheduling::testing
