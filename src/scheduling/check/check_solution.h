// An independent judge of solutions. It shares no code with the solver but the input and the model.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "scheduling/input/snapshot.h"
#include "scheduling/input/solution.h"
#include "scheduling/input/solve_options.h"

namespace tenon::scheduling {

// Validates a solution: capacity on every listed type, taints,
// requirements, ports, volumes, limits, topology, prices. Errors: kInternal, with the node, the pod and the broken
// rule.
Status check_solution(const Snapshot& snapshot, const SolveOptions& options, const Solution& solution);

}  // namespace tenon::scheduling
