// The final check of a NodePool's limits, right before one of its NodeClaims is launched. The decision that created the
// claim respected the limits in its snapshot, but it may have counted on the removal of a node that stays after a
// crash, or the limits may have changed since. Pure.
// parity: karpenter pkg/controllers/provisioning/provisioner.go Create (checks when the claim is created, without the
// resources of the claim itself)
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "model/node_claim.h"
#include "scheduling/input/snapshot.h"

namespace tenon::state {

// Returns the maximum capacity of the claim's instance, for each resource, over the instance types that the claim
// lists; the claim's requests if it lists none of `types`.
model::Resources most(const model::NodeClaim& claim, const std::vector<model::InstanceType>& types);

// The resources that the nodes of a NodePool use. Nodes that are being deleted do not count.
struct PoolUse {
  model::Resources settled;                                                // of nodes with an instance
  std::map<std::string, std::shared_ptr<const model::NodeClaim>> waiting;  // without an instance, by name
};
// Returns true if the view is a NodeClaim that has no instance yet.
bool waits(const scheduling::NodeView& view);
// Returns the capacity of all nodes in `use`, which the NodePool's status reports. Each node adds 1 to "nodes".
model::Resources capacity(const PoolUse& use);
// `nodes`: at least those of the pool.
PoolUse pool_use(const std::string& pool, const std::vector<scheduling::NodeView>& nodes);

// Returns the limit that a launch would exceed: "resource usage exceeds limit (limit=4, resource-name=cpu, usage=6)";
// empty if none. `use`: of the pool, including the claim itself. Among claims without an instance,
// the older ones have precedence. Each of them counts with the minimum of its listed types: a pass with several moves
// checks limits with the types that it expects to be launched, and rejecting one command here takes back headroom that
// others rely on.
std::string over_limits(const scheduling::PoolView& pool, const PoolUse& use, const model::NodeClaim& claim);

}  // namespace tenon::state
