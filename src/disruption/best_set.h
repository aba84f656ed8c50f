// Exhaustive consolidation of few candidates: compares every set of them. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "disruption/course.h"

namespace tenon::disruption {

// Makes the best move of any set of the remaining candidates: the highest gain, then the fewest nodes, then the least
// disturbance. Returns false if there is none. At most 20 candidates.
bool make_best_set(Course& course);

}  // namespace tenon::disruption
