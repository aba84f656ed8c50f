// solve() against the reference on a small cluster. Each function says where they differ; an empty text: nowhere.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "scheduling/reference/brute_force.h"
#include "scheduling/testing/random_cluster.h"

namespace tenon::scheduling::testing {

// What a solution reached, as the reference says it.
reference::Best reached(const Snapshot& snapshot, const Solution& solution);
std::string describe(const reference::Best& best);
// Nodes with their pods, and who stays behind: two plans are the same if these are.
std::string describe(const Solution& solution);

// Each pod before each node and each NodePool, one at a time and by itself: both say the same. Topology and limits are
// left out.
std::string compare_pairs(const Snapshot& snapshot);
// Pods left behind, weights, price and number of nodes: equal, or (under limits: each node counts as its cheapest type
// there, though a dearer one may use up less of a limit) not better than the best there is. check_solution() agrees,
// and lower_bound() is a bound of both.
std::string compare_optimum(const Snapshot& snapshot);
// Both on the random cluster of this seed; most are smaller than the reference could do, so that many can be tried.
std::string compare_random(uint64_t seed);
// What the random cluster of this seed would do if each of its nodes in turn were gone while its zone still counted: as
// compare_optimum(). `asked`: how many nodes with pods that was.
std::string compare_what_if(uint64_t seed, int& asked);
// Groups with required affinity, as compare_optimum() on a small cluster of this seed; and on a larger one, in which
// every pod can be placed, with such groups or with volumes that bind pods to zones, none is left behind.
std::string compare_tied(uint64_t seed);
// compare_pairs() and compare_optimum() on a small cluster of this seed with volumes that bind pods to zones.
std::string compare_bound_volumes(uint64_t seed);
// lower_bound() is no more than the price of this plan, and of plans by other means that place the same pods with no
// lighter NodePools: without improvement, with other prices of a node.
std::string compare_bound(const Snapshot& snapshot, const SolveOptions& options, const Solution& solution);
// check_solution() and compare_bound() on the drawn cluster of this seed: with rules that the reference does not know.
std::string compare_drawn(uint64_t seed, const RandomSizes& sizes);
// Textbook first-fit-decreasing is no better on the random cluster of this seed: where the plan leaves the same pods
// behind and uses as heavy pools, it is not dearer. Clusters with topology by zone are passed over.
std::string compare_first_fit(uint64_t seed, const RandomSizes& sizes);

}  // namespace tenon::scheduling::testing
