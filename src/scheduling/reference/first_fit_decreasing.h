// The plan that every textbook starts with, for clusters of any size: pods by size, the biggest first, each into the
// first place that takes it (nodes, then what is bought so far, in the order in which it was), else a new node of the
// first pool that can; pools by weight, then by name, backwards, as Karpenter tries them. A node costs what the
// cheapest offering costs that holds its pods and that limits and reservations leave. Slow and obvious; tests only.
// Pods and pools as in brute_force.h, but topology by hostname alone; pools may leave labels open and have minValues.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scheduling/reference/brute_force.h"

namespace tenon::scheduling::reference {

Best first_fit_decreasing(const Snapshot& snapshot);

}  // namespace tenon::scheduling::reference
