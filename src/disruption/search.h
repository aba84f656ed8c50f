// Finds the set of nodes whose removal saves the most money, within the budgets and a number of simulations. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "disruption/simulation.h"

namespace tenon::disruption {

// Simulations one pass may spend; a simulation is one solve().
inline constexpr int kSimulationsPerPass = 1'500;
// Up to this many candidates every set that the budgets allow is tried; beyond, prefixes and single nodes.
inline constexpr size_t kEverySetUpTo = 10;

// The best move for the candidates, if any saves money; `kept` learns why single nodes stay.
std::vector<Move> search_consolidation(const scheduling::Snapshot& snapshot, const Options& options,
                                       const std::vector<Candidate>& all, const BudgetLeft& budget,
                                       std::map<std::string, Kept>& kept);

}  // namespace tenon::disruption
