// Finds the sets of nodes whose removal saves money, within the budgets: every candidate by itself in every pass, and
// many sets of them. Moves of one pass are disjoint, and each is right after those before it. Pure.
//
// Few candidates: every set that the budgets allow, the best first. Many: single nodes, those first that save the most
// for each pod they disturb; then nodes that are used the least, several together.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "disruption/simulation.h"

namespace tenon::disruption {

// Up to this many candidates every set that the budgets allow is tried.
inline constexpr size_t kEverySetUpTo = 8;

// All are packed anew at once only if what they cost after smaller moves is so much above what it could be, and if that
// gains so much more.
inline constexpr int64_t kAnewGapPercent = 10, kAnewGainPercent = 5;

// Adds the moves, in order, and why single nodes stay.
void search_consolidation(const scheduling::Snapshot& snapshot, const Options& options,
                          const std::vector<Candidate>& all, const BudgetLeft& budget, Pass& pass);

}  // namespace tenon::disruption
