// A proven lower bound of the price of plans.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scheduling/bound/proven_bound.h"
#include "scheduling/input/snapshot.h"
#include "scheduling/input/solution.h"
#include "scheduling/input/solve_options.h"

namespace tenon::scheduling {

// Returns a lower bound of Solution::price of any plan that places all the pods that `solution` places; zero if no
// better one is found. It bounds the price of the instances: a plan with n new nodes costs at least this plus n times
// SolveOptions::node_price. If `solution` gives each pod the heaviest NodePool that it could have, the bound does not
// hold for plans with lighter NodePools, which are worse at any price.
Bound lower_bound(const Snapshot& snapshot, const SolveOptions& options, const Solution& solution);

}  // namespace tenon::scheduling
