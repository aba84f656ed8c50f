// Carries out moves on a snapshot: removes their nodes, adds their replacements as ready nodes that may be disrupted,
// and puts the pods on the nodes that the moves plan. Uses the moves alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "disruption/disruption.h"

namespace tenon::disruption::testing {

// Returns a ready node of the pool that consolidation may remove.
scheduling::NodeView a_node(const std::string& name, const model::NodePool& pool, const model::InstanceType& type,
                            const std::string& zone, const std::string& capacity_type = "on-demand");
// `round` is part of the names of new nodes. The move must place every pod of its nodes.
void carry_out(scheduling::Snapshot& snapshot, const Move& move, const std::string& round);
// Returns the price of all nodes.
model::Price price_of(const scheduling::Snapshot& snapshot);

}  // namespace tenon::disruption::testing
