// Clusters drawn from a seed whose pods depend on each other. The large ones have, by the seed, one of: groups of pods
// with required affinity to each other by hostname; the same by zone; zonal spreads of pods of which some have volumes
// in one zone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scheduling/testing/cluster.h"
#include "scheduling/testing/random_cluster.h"

namespace tenon::scheduling::testing {

// All pods can be placed, because the cluster is built around a plan that places them. The home of a group is one node
// among many that are too small, or one zone among some with limits. Too large for reference/brute_force.h.
//
//   Solution s = feasible_cluster(7).solve();
//   EXPECT_TRUE(s.unschedulable.empty());
//
Cluster feasible_cluster(uint64_t seed);

// A random cluster with required affinity of all pods to each other, schedulable or not; small enough for the
// reference.
Cluster small_tied_cluster(uint64_t seed);

// A random cluster in which volumes bind many of the pods to a zone, and some pods have zonal spreads; small enough for
// the reference.
Cluster small_bound_cluster(uint64_t seed);

}  // namespace tenon::scheduling::testing
