// What the replacements of nodes may be: every type and offering that they leave open must cost less than what goes,
// for EC2 Fleet chooses among them. Each node costs SolveOptions::node_price beside its instance. Pure.
// parity: karpenter pkg/controllers/disruption/consolidation.go computeConsolidation, pkg/cloudprovider/types.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "disruption/candidates.h"

namespace tenon::disruption {

// The dearest offering that EC2 might pick of the class that the type would be launched from: reserved, else spot, else
// on-demand. Nothing if the requirements leave none open.
std::optional<model::Price> worst_launch_price(const model::InstanceType& type,
                                               const model::Requirements& requirements);

// Narrows what would replace `nodes` to what is cheaper than them in every case, and sets each launch anew. Of several
// replacements each gets the part of the money that its launch takes. Returns why that cannot be, as in the
// Unconsolidatable event; empty if it can.
std::string make_cheaper(const scheduling::Snapshot& snapshot, const Options& options,
                         const std::vector<const Candidate*>& nodes,
                         std::vector<scheduling::PlannedNode>& replacements);

// A node without pods as the NodePool's template asks for; nothing if no type can be it.
std::optional<scheduling::PlannedNode> like_the_template(const scheduling::PoolView& pool);

}  // namespace tenon::disruption
