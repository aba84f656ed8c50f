// Moves carried out: a cluster in which the nodes are gone, new ones are up and may be disrupted in their turn, and
// pods
// run where the moves sent them. Made from the moves alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "disruption/disruption.h"

namespace tenon::disruption::testing {

// A node of the pool, ready, that consolidation may touch.
scheduling::NodeView a_node(const std::string& name, const model::NodePool& pool, const model::InstanceType& type,
                            const std::string& zone, const std::string& capacity_type = "on-demand");
// `round` makes the names of new nodes. Every pod of the nodes that go must have a place.
void carry_out(scheduling::Snapshot& snapshot, const Move& move, const std::string& round);
// What all nodes cost.
model::Price price_of(const scheduling::Snapshot& snapshot);

}  // namespace tenon::disruption::testing
