// The most that one command of the peer's kind gains: some nodes go, for one cheaper node or none. Each set of nodes is
// a solve() from scratch, which shares nothing with the search.
// parity: multinodeconsolidation.go (the first m candidates, here for every m), singlenodeconsolidation.go
//
// Both sides keep to the same refusals: what a move must be worth, and the forecast unless the options say no.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "disruption/disruption.h"

namespace tenon::disruption::testing {

// The gain of a pass of consolidation, and that of the best single command on the same cluster without its empty nodes.
struct Compared {
  model::Price pass, command;
  std::vector<std::string> nodes;  // of the command
};
// kIsBeaten: commands that cannot gain more than the pass are left out, which takes a fraction of the time.
enum class Question { kHowMuch, kIsBeaten };
// `every_set`: of all sets that budgets allow, else of single nodes and of the first ones by saving.
Compared compare_commands(const scheduling::Snapshot& snapshot, const Options& options, bool every_set,
                          Question question = Question::kHowMuch);
// The pass on the worn cluster of this seed gains as much as the best command; else says where not.
std::string compare_savings(uint64_t seed);
// The same of the cluster of which half has gone. solve() places pods there that a WhatIf seldom finds no place for.
std::string compare_half_gone(uint64_t seed);

}  // namespace tenon::disruption::testing
