// What disruption is measured on: clusters that run, the same for us and for the peers, from fixed seeds.
//
//   Snapshot s = bench::cluster("fill35", 500);
//   bench::carry_out(s, move);
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "disruption/disruption.h"

namespace tenon::bench {

// Nodes on demand over the types and list prices of AWS (c, m, r), budgets of 100 %:
//   packed   all of the cheapest type for their pods and quite full: nothing is to be gained
//   pools    the same in 25 NodePools that share no pods
//   fillP    of six types, full to P % of their scarcer resource with pods of forty deployments
scheduling::Snapshot cluster(const std::string& name, size_t nodes);

// The cluster after the move: its nodes are gone, new ones are up, and pods run where it says. `round` makes names.
void carry_out(scheduling::Snapshot& snapshot, const disruption::Move& move, const std::string& round);

// What all nodes cost.
model::Price price_of(const scheduling::Snapshot& snapshot);

}  // namespace tenon::bench
