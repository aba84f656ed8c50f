// Builds NodeViews from Nodes and NodeClaims, by the same rule for the live cluster and for `tenon plan`. Pure.
// parity: karpenter pkg/controllers/state/cluster.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "model/node.h"
#include "model/node_claim.h"
#include "model/pod.h"
#include "scheduling/input/snapshot.h"

namespace tenon::state {

// Merges a Node and the NodeClaim with its provider id into one view. A Node without a claim of ours, and a claim whose
// Node has not joined yet, have a view each. By name; without pods.
std::vector<scheduling::NodeView> make_node_views(const std::vector<std::shared_ptr<const model::Node>>& nodes,
                                                  const std::vector<std::shared_ptr<const model::NodeClaim>>& claims);

// Returns the DaemonSet with its newest live pod as the template: a live pod has what admission added (sidecars,
// defaults). The required node affinity remains the template's, since a live pod's affinity names its own node.
// parity: karpenter pkg/controllers/provisioning/provisioner.go getDaemonSetPods
std::shared_ptr<const model::DaemonSet> with_live_pod(const model::DaemonSet& set, const model::Pod& newest);

}  // namespace tenon::state
