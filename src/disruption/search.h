// Finds the sets of nodes whose removal saves money, within the budgets: every candidate by itself in every pass, and
// many sets of them. Moves of one pass are disjoint, and each is valid after those before it. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "disruption/removal_evaluator.h"

namespace tenon::disruption {

// Up to this number of candidates, every set that the budgets allow is compared.
inline constexpr size_t kEverySetUpTo = 8;

// Many nodes are repacked at once only if their price after the smaller moves exceeds its lower bound by
// kRepackAllGapPercent of that price, and if that gains kRepackAllGainPercent of it more.
inline constexpr int64_t kRepackAllGapPercent = 10, kRepackAllGainPercent = 5;

// Adds the moves, in order, to `pass`, and the reasons why single nodes stay.
void search_consolidation(const scheduling::Snapshot& snapshot, const Options& options,
                          const std::vector<Candidate>& all, const BudgetLeft& budget, Pass& pass);

}  // namespace tenon::disruption
