// The cluster as a finished plan leaves it: planned nodes are there, as their cheapest offering makes them, placed pods
// run on them, limits and reservations are used up. What a pod that was left behind is judged against.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scheduling/state.h"

namespace tenon::scheduling {

// Nobody is pending in it. `solution` is what finish() has made of `state` so far: nodes and pods.
Snapshot aftermath(const State& state, const Solution& solution);

// The same cluster with only what can matter to this pod on a new node: other pods that its topology rules count or
// whose anti-affinity may mean it, and nodes that have any (all nodes, if it must be spread). Nodes that differ in
// nothing that anybody looks at are one. Limits already count the nodes that are left out. `after` is an aftermath().
Snapshot around(const Snapshot& after, const model::Pod& pod);

}  // namespace tenon::scheduling
