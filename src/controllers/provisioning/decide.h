// Turns a solution into a plan. Pure.
// parity: karpenter pkg/controllers/provisioning (nodeclaimtemplate.go, provisioner.go)
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "plan/plan.h"
#include "scheduling/input/capacity_buffer.h"
#include "scheduling/input/snapshot.h"
#include "scheduling/input/solution.h"

namespace tenon::controllers::provisioning {

// Returns how long a node with nominated pods is no candidate for disruption.
// parity: karpenter pkg/controllers/state/statenode.go nominationWindow
constexpr Duration nomination_window(Duration batch_max) { return std::max<Duration>(2 * batch_max, 10s); }

// The entries of the ledger that belong to a snapshot.
struct LedgerView {
  uint64_t turns = 0;                 // Ledger::turns() from before the snapshot
  std::set<std::string> kept;         // names of nodes that promised room is kept on
  std::set<std::string> held_drains;  // NodeClaims
};
// Returns the plan that carries out a solution: nominations of existing nodes, a NodeClaim for each planned node, the
// release of held drains (nodes for their pods are being launched), and events about nominated and unschedulable pods.
// Pods of buffers get no events.
plan::Plan decide(const scheduling::Snapshot& snapshot, const scheduling::Solution& solution, const LedgerView& ledger);

// Returns how many pending pods without a node no node of ours could help: malformed pods, pods that exclude our nodes,
// and pods without their volumes. They count as ignored, not as unschedulable. parity: provisioner.go GetPendingPods
size_t count_ignored(const scheduling::Snapshot& snapshot, const scheduling::Solution& solution);

// Returns the status of CapacityBuffers (by namespace/name in `states`) after a solution.
plan::Plan decide_buffers(const std::vector<model::CapacityBuffer>& buffers, const scheduling::BufferStates& states,
                          Instant now);

// Returns the event of a pod: "Pod should schedule on: nodeclaim/x, node/y"; of a Provisioner's node "Pod should
// schedule on node: y", as v0.27 had it. `pool`: of the node; empty if it is not managed. A name may be empty.
plan::RecordEvent nominated_event(const model::ObjectMeta& pod, std::string_view pool, const std::string& claim,
                                  const std::string& node);

}  // namespace tenon::controllers::provisioning
