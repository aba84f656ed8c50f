// Compares solve() with the reference on a small cluster. Each function returns the difference; empty: there is none.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "scheduling/input/solution.h"
#include "scheduling/input/solve_options.h"
#include "scheduling/reference/brute_force.h"
#include "scheduling/testing/random_cluster.h"

namespace tenon::scheduling::testing {

// The result of a solution in the terms of the reference.
reference::Best reached(const Snapshot& snapshot, const Solution& solution);
std::string describe(const reference::Best& best);
// Nodes with their pods, and unplaced pods: two plans are the same if these are.
std::string describe(const Solution& solution);

// Compares the verdicts on each pod on each node and each NodePool, one at a time, without topology and limits.
std::string compare_pairs(const Snapshot& snapshot);
// Compares unplaced pods, weights, price and number of nodes: equal, or (under limits: each node counts as its cheapest
// type there, although a more expensive one may use less of a limit) not better than the optimum. check_solution()
// accepts the plan, and lower_bound() is a bound of both.
std::string compare_optimum(const Snapshot& snapshot);
// Compares both on the random cluster of this seed; most are smaller than the reference allows, so that many can be
// tried.
std::string compare_random(uint64_t seed);
// Compares, for the random cluster of this seed, the results without each of its nodes in turn, with the node's zone
// still a domain, as compare_optimum() does. `asked`: the number of nodes with pods.
std::string compare_what_if(uint64_t seed, int& asked);
// Groups with required affinity: compare_optimum() on a small cluster of this seed; and on a larger one, in which every
// pod can be placed, with such groups or with volumes that bind pods to zones, no pod is unplaced.
std::string compare_tied(uint64_t seed);
// compare_pairs() and compare_optimum() on a small cluster of this seed with volumes that bind pods to zones.
std::string compare_bound_volumes(uint64_t seed);
// lower_bound() is no more than the price of this plan, and of other plans that place the same pods without NodePools
// of lower weight: without improvement, with other node prices.
std::string compare_bound(const Snapshot& snapshot, const SolveOptions& options, const Solution& solution);
// check_solution() and compare_bound() on the drawn cluster of this seed: with rules that the reference does not know.
std::string compare_drawn(uint64_t seed, const RandomSizes& sizes);
// Textbook first-fit-decreasing is not better on the random cluster of this seed: if the plan leaves the same pods
// unplaced and uses NodePools of the same weights, it does not cost more. Clusters with topology by zone are skipped.
std::string compare_first_fit(uint64_t seed, const RandomSizes& sizes);

}  // namespace tenon::scheduling::testing
