// Turns a solution into NodeClaims and events. Pure.
// parity: karpenter pkg/controllers/provisioning (nodeclaimtemplate.go, provisioner.go)
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "plan/plan.h"
#include "scheduling/input/capacity_buffer.h"
#include "scheduling/input/solution.h"
#include "scheduling/input/snapshot.h"

namespace tenon::controllers::provisioning {

// Returns the claim for a planned node: labels, annotations (hash, overlays), owner, requirements, resources.
model::NodeClaim make_claim(const scheduling::PlannedNode& node, const scheduling::PoolView& view);

// Returns how long a node with nominated pods is no candidate for disruption.
// parity: karpenter pkg/controllers/state/statenode.go nominationWindow
constexpr Duration nomination_window(Duration batch_max) { return std::max<Duration>(2 * batch_max, 10s); }

// One new claim with the pods that it is launched for.
struct Purchase {
  const scheduling::PlannedNode* planned;  // in the solution
  model::NodeClaim claim;
  std::vector<model::ObjectMeta> pods;  // that get an event once the claim has a name; without pods of buffers
};
struct Decision {
  std::vector<Purchase> purchases;
  plan::Plan plan;                     // events: pods nominated to existing nodes, unschedulable pods
  std::vector<std::string> nominated;  // names of existing nodes that pods were nominated to
};
Decision decide(const scheduling::Snapshot& snapshot, const scheduling::Solution& solution);

// Returns how many pending pods without a node no node of ours could help: malformed pods, pods that exclude our nodes,
// and pods without their volumes. They count as ignored, not as unschedulable. parity: provisioner.go GetPendingPods
size_t count_ignored(const scheduling::Snapshot& snapshot, const scheduling::Solution& solution);

// Returns the status of CapacityBuffers (by namespace/name in `states`) after a solution.
plan::Plan decide_buffers(const std::vector<model::CapacityBuffer>& buffers, const scheduling::BufferStates& states,
                          Instant now);

// Returns the event of a pod whose node is being launched: "Pod should schedule on: nodeclaim/x, node/y".
plan::RecordEvent nominated_event(const model::ObjectMeta& pod, const std::string& claim, const std::string& node);

}  // namespace tenon::controllers::provisioning
