// How Nodes and NodeClaims become NodeViews: the one rule, for the live cluster and for `tenon plan`. Pure.
// parity: karpenter pkg/controllers/state/cluster.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "model/node.h"
#include "model/node_claim.h"
#include "model/pod.h"
#include "scheduling/snapshot.h"

namespace tenon::state {

// A Node and the NodeClaim with its provider id are one view; Nodes of others stand alone, as do claims whose Node has
// not joined yet. By name; without pods.
std::vector<scheduling::NodeView> make_node_views(const std::vector<std::shared_ptr<const model::Node>>& nodes,
                                                  const std::vector<std::shared_ptr<const model::NodeClaim>>& claims);

// A live pod shows what admission made of a DaemonSet's template (sidecars, defaults), so the newest one stands for it;
// only the node affinity is the template's, since a live pod's names its own node.
// parity: karpenter pkg/controllers/provisioning/provisioner.go getDaemonSetPods
std::shared_ptr<const model::DaemonSet> with_live_pod(const model::DaemonSet& set, const model::Pod& newest);

}  // namespace tenon::state
