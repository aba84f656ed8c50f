// The last word of a NodePool's limits, when one of its NodeClaims is about to be launched. Whoever bought the claim
// has kept them on the picture that it saw; but it may have counted on a node going that stays after a crash, or the
// limits are others now. Pure. parity: karpenter pkg/controllers/provisioning/provisioner.go Create (asks when the
// claim is made, without what the claim itself will use)
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/node_claim.h"
#include "scheduling/snapshot.h"

namespace tenon::state {

// What the claim's instance has at most, resource by resource, of the types that the claim lists; what it requests if
// it lists none that is known.
model::Resources most(const model::NodeClaim& claim, const std::vector<model::InstanceType>& types);

// Which limit a launch would pass: "resource usage exceeds limit (limit=4, resource-name=cpu, usage=6)"; empty if none.
// `nodes`: at least those of the pool, the claim's own view too. Of claims that wait for their instance the older ones
// come first. Each counts as the least that it may become: a pass that makes several moves goes by what it expects to
// be launched, and a command that is refused here has made room for others that it takes back.
std::string over_limits(const scheduling::PoolView& pool, const std::vector<scheduling::NodeView>& nodes,
                        const model::NodeClaim& claim);

}  // namespace tenon::state
