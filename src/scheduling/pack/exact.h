// Branch and bound over whole plans for a few pods (exact.cc). The result is the best plan that a State can represent,
// except that limits and reservations go to the first node that needs them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scheduling/search_state/objective.h"

namespace tenon::scheduling {

inline constexpr size_t kExactPods = 6;
inline constexpr size_t kExactNodes = 8;  // existing ones

bool small_enough(const Problem& problem);
// Replaces the plan with the best one, or with the best one found within `steps`. One step tests whether a pod fits
// into one bin. Returns the steps done.
int64_t search_all(State& plan, int64_t steps);

}  // namespace tenon::scheduling
