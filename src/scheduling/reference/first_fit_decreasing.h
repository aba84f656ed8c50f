// The plan that every textbook starts with, for clusters of any size: pods by size, the biggest first, each into the
// first place that takes it, pools by weight, then by name, backwards, as Karpenter tries them; a node costs what its
// cheapest offering costs that holds its pods. Tests only. Pods and
// pools as in brute_force.h, without topology and limits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scheduling/reference/brute_force.h"

namespace tenon::scheduling::reference {

Best first_fit_decreasing(const Snapshot& snapshot);

}  // namespace tenon::scheduling::reference
