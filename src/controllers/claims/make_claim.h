// The NodeClaim of a planned node. Provisioning, disruption and static pools create claims by it. Pure.
// parity: karpenter pkg/controllers/provisioning/scheduling/nodeclaimtemplate.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/node_claim.h"
#include "scheduling/input/snapshot.h"
#include "scheduling/input/solution.h"

namespace tenon::controllers::claims {

// Returns the claim for a planned node: labels, annotations (hash, overlays), owner, requirements, resources.
model::NodeClaim make_claim(const scheduling::PlannedNode& node, const scheduling::PoolView& view);

}  // namespace tenon::controllers::claims
