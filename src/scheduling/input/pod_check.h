// Facts about a pod that the solver needs before it plans: whether it may be planned, and its volumes. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/pod.h"
#include "model/requirement.h"
#include "scheduling/input/snapshot.h"

namespace tenon::scheduling {

// Returns true if the pod excludes every node of a NodePool: its node selector, first required term and heaviest
// preferred term leave `karpenter.sh/nodepool DoesNotExist`.
// parity: provisioner.go validateKarpenterManagedLabelCanExist
bool avoids_our_nodes(const model::Pod& pod);

// Returns alternatives of node requirements: where the pod's volumes can be attached. Errors: why the pod must wait.
Result<std::vector<model::Requirements>> volume_alternatives(const Snapshot& snapshot, const model::Pod& pod);
// Returns (driver, claim) for each volume that counts against a node's limit.
std::vector<std::pair<std::string, std::string>> attached_volumes(const Snapshot& snapshot, const model::Pod& pod);
// Returns the reason why the solver must not place this pod; empty if it may. parity: provisioner.go Validate
std::string pod_problem(const Snapshot& snapshot, const model::Pod& pod);

}  // namespace tenon::scheduling
