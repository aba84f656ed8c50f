// Pods that exclude all nodes of NodePools; see also pod_problem() of problem.h. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/pod.h"

namespace tenon::scheduling {

// Returns true if the pod excludes every node of a NodePool: its node selector, first required term and heaviest
// preferred term leave `karpenter.sh/nodepool DoesNotExist`.
// parity: provisioner.go validateKarpenterManagedLabelCanExist
bool avoids_our_nodes(const model::Pod& pod);

}  // namespace tenon::scheduling
