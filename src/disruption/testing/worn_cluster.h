// Clusters drawn from a seed in which much is to be saved: nodes of many sizes whose pods have left over time, one or
// two NodePools with budgets of their own. Everything may be disrupted.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scheduling/testing/random_cluster.h"

namespace tenon::disruption::testing {

// So many nodes; the pods are plain ones.
scheduling::Snapshot worn_cluster(uint64_t seed, int nodes);
// What solve() plans for the random cluster of this seed runs, and half of the pods have gone: every rule of
// scheduling, fewer nodes. Budgets limit nothing.
scheduling::Snapshot half_gone(uint64_t seed, const scheduling::testing::RandomSizes& sizes);

}  // namespace tenon::disruption::testing
