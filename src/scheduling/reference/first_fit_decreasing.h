// First-fit decreasing, for clusters of any size: pods by size, the largest first, each on the first node that accepts
// it (existing nodes, then new ones by age), otherwise on a new node of the first pool that can launch one; pools by
// weight, then by name, both descending, as in Karpenter. A node costs as much as the cheapest offering that holds its
// pods and that limits and reservations allow. Slow and simple; tests only. Pods and pools as in brute_force.h, except
// that only topology by hostname is supported; pools may leave labels open and have minValues.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scheduling/reference/brute_force.h"

namespace tenon::scheduling::reference {

Best first_fit_decreasing(const Snapshot& snapshot);

}  // namespace tenon::scheduling::reference
