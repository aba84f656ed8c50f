// improve(): lowers the price of a plan's new nodes within a number of steps. The plan never gets worse by the
// Objective, in which unschedulable pods and relaxed preferences come before the price. Equal input gives an equal
// plan.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scheduling/search_state/objective.h"

namespace tenon::scheduling {

// Replaces the plan if a better one is found. Returns the steps done.
int64_t improve(State& plan, int64_t steps);

}  // namespace tenon::scheduling
