// improve(): makes what a plan buys cheaper within a number of steps. Never dearer, never fewer pods placed, no
// preference given up; the same input gives the same plan.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scheduling/objective.h"

namespace tenon::scheduling {

// Replaces the plan if a better one is found. Returns the steps done.
int64_t improve(State& plan, int64_t steps);

}  // namespace tenon::scheduling
