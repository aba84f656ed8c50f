// Clusters drawn from a seed in which consolidation can save much: nodes of many sizes that have lost pods over time,
// and NodePools with budgets. Every node may be disrupted.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scheduling/testing/random_cluster.h"

namespace tenon::disruption::testing {

// A cluster of `nodes` nodes of one or two NodePools, with pods that have no scheduling rules.
scheduling::Snapshot worn_cluster(uint64_t seed, int nodes);
// The cluster that solve() plans for the random cluster of this seed, after half of its pods have been deleted. Pods
// have all kinds of scheduling rules; budgets limit nothing.
scheduling::Snapshot half_gone(uint64_t seed, const scheduling::testing::RandomSizes& sizes);

}  // namespace tenon::disruption::testing
