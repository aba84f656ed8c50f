// The cluster as a finished plan leaves it: planned nodes exist as their cheapest offerings, placed pods run on their
// nodes, and limits and reservations are reduced by what the plan uses. Explanations judge unschedulable pods against
// it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scheduling/input/solution.h"
#include "scheduling/search_state/state.h"

namespace tenon::scheduling {

// Returns the cluster without pending pods. `solution`: what finish() has filled in from `state` so far, nodes and
// pods.
Snapshot snapshot_after(const State& state, const Solution& solution);

// Returns the same cluster with only what can matter to this pod on a new node: other pods that its topology rules
// count or whose anti-affinity may select it, and nodes that have such pods (all nodes, if the pod has a spread). Nodes
// with equal taints and equal relevant labels are merged into one. Limits already count the nodes that are left out.
// `after`: a result of snapshot_after().
Snapshot relevant_part(const Snapshot& after, const model::Pod& pod);

}  // namespace tenon::scheduling
