// From a solution to NodeClaims and events. Pure.
// parity: karpenter pkg/controllers/provisioning (nodeclaimtemplate.go, provisioner.go)
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "plan/plan.h"
#include "scheduling/solver.h"

namespace tenon::controllers::provisioning {

// The claim for one planned node of a pool: labels, annotations (hash), owner, requirements, resources.
model::NodeClaim make_claim(const scheduling::PlannedNode& node, const model::NodePool& pool);

// One new claim with the pods that wait for it.
struct Purchase {
  const scheduling::PlannedNode* planned;  // in the solution
  model::NodeClaim claim;
  std::vector<model::ObjectMeta> pods;  // to be told once the claim has a name
};
struct Decision {
  std::vector<Purchase> purchases;
  plan::Plan plan;                     // events: pods nominated to existing nodes, pods that fit nowhere
  std::vector<std::string> nominated;  // names of existing nodes that pods were told to go to
};
Decision decide(const scheduling::Snapshot& snapshot, const scheduling::Solution& solution);

// The event of a pod whose node is on its way: "Pod should schedule on: nodeclaim/x, node/y".
plan::RecordEvent nominated_event(const model::ObjectMeta& pod, const std::string& claim, const std::string& node);

}  // namespace tenon::controllers::provisioning
