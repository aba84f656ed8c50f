// From a solution to NodeClaims and events. Pure.
// parity: karpenter pkg/controllers/provisioning (nodeclaimtemplate.go, provisioner.go)
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "plan/plan.h"
#include "scheduling/capacity_buffer.h"

namespace tenon::controllers::provisioning {

// The claim for one planned node of a pool: labels, annotations (hash, overlays), owner, requirements, resources.
model::NodeClaim make_claim(const scheduling::PlannedNode& node, const scheduling::PoolView& view);

// How long a node to which pods were told to go is no candidate for disruption.
// parity: karpenter pkg/controllers/state/statenode.go nominationWindow
constexpr Duration nomination_window(Duration batch_max) { return std::max<Duration>(2 * batch_max, 10s); }

// One new claim with the pods that wait for it.
struct Purchase {
  const scheduling::PlannedNode* planned;  // in the solution
  model::NodeClaim claim;
  std::vector<model::ObjectMeta> pods;  // to be told once the claim has a name; those of buffers are not
};
struct Decision {
  std::vector<Purchase> purchases;
  plan::Plan plan;                     // events: pods nominated to existing nodes, pods that fit nowhere
  std::vector<std::string> nominated;  // names of existing nodes that pods were told to go to
};
Decision decide(const scheduling::Snapshot& snapshot, const scheduling::Solution& solution);

// The pending pods without a place that no node of ours could help: malformed ones, those that exclude our nodes,
// those whose volumes are not there. They count as ignored, not as unschedulable. parity: provisioner.go GetPendingPods
size_t count_ignored(const scheduling::Snapshot& snapshot, const scheduling::Solution& solution);

// The status of CapacityBuffers (by namespace/name in `states`) after a solution.
plan::Plan decide_buffers(const std::vector<model::CapacityBuffer>& buffers, const scheduling::BufferStates& states,
                          Instant now);

// The event of a pod whose node is on its way: "Pod should schedule on: nodeclaim/x, node/y".
plan::RecordEvent nominated_event(const model::ObjectMeta& pod, const std::string& claim, const std::string& node);

}  // namespace tenon::controllers::provisioning
