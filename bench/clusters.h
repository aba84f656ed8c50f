// The clusters for measurements of disruption: running clusters, equal for Tenon and the peers, from fixed seeds.
//
//   Snapshot s = bench::cluster("fill35", 500);
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "scheduling/input/snapshot.h"

namespace tenon::bench {

// Nodes on demand over the types and list prices of AWS (c, m, r), budgets of 100 %:
//   packed   all of the cheapest type for their pods and nearly full: no move gains anything
//   pools    the same in 25 NodePools that share no pods
//   hugeP    as fillP, in a hundred NodePools that share no pods
//   fillP    of six types, full to P % of their scarcer resource with pods of forty deployments
scheduling::Snapshot cluster(const std::string& name, size_t nodes);

}  // namespace tenon::bench
