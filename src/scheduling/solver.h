// solve(): decides where the scheduler can bind the pending pods, and which nodes to launch for the others. Pure and
// deterministic: equal input, equal bytes. Work is limited in steps, not in seconds.
//
//   Solution s = solve(snapshot, {});
//   CHECK(check_solution(snapshot, {}, s).has_value());
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scheduling/input/snapshot.h"
#include "scheduling/input/solution.h"
#include "scheduling/input/solve_options.h"

namespace tenon::scheduling {

Solution solve(const Snapshot& snapshot, const SolveOptions& options);
// Returns true if there is a pod to place. Much faster than a solve() without pods, which compiles the cluster first.
bool anything_to_place(const Snapshot& snapshot, const SolveOptions& options);

}  // namespace tenon::scheduling
