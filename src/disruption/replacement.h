// Limits the instance types of replacements: every type and offering that they allow must cost less than the removed
// nodes. Each node costs SolveOptions::node_price in addition to its instance. Pure.
// parity: karpenter pkg/controllers/disruption/consolidation.go computeConsolidation, pkg/cloudprovider/types.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "disruption/candidates.h"
#include "scheduling/input/solution.h"

namespace tenon::disruption {

// Returns the highest price at which EC2 may launch the type: that of its reserved offerings, else of spot, else of
// on-demand. std::nullopt if the requirements allow no offering.
std::optional<model::Price> worst_launch_price(const model::InstanceType& type,
                                               const model::Requirements& requirements);

// Narrows the replacements of `nodes` to types that are cheaper than the nodes in every case, and updates each launch.
// Several replacements share the price of the nodes in proportion to the prices of their launches. Returns why that is
// impossible, as in the Unconsolidatable event; empty on success.
std::string make_cheaper(const scheduling::Snapshot& snapshot, const Options& options,
                         const std::vector<const Candidate*>& nodes,
                         std::vector<scheduling::PlannedNode>& replacements);

// Returns a node without pods of the NodePool's template; std::nullopt if no available type satisfies the template.
std::optional<scheduling::PlannedNode> like_the_template(const scheduling::PoolView& pool);

}  // namespace tenon::disruption
