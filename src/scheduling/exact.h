// Branch and bound over whole plans for a handful of pods: every pod in every bin that takes it, in every domain, in
// every form, or nowhere, and where it matters in every order of arrival. What it finds is the best that a State can
// say, limits and reservations aside: those go to whichever node asks first.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scheduling/objective.h"

namespace tenon::scheduling {

inline constexpr size_t kExactPods = 6;
inline constexpr size_t kExactNodes = 8;  // that exist

bool small_enough(const Problem& problem);
// Replaces the plan by the best there is, or by the best found in so many steps (one is one look whether a pod fits).
// Returns the steps done.
int64_t search_all(State& plan, int64_t steps);

}  // namespace tenon::scheduling
