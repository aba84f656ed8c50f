// Computes the highest gain of a single command of Karpenter's kind: removes some nodes and launches one cheaper node
// or none. Each set of nodes takes a solve() from scratch, which shares nothing with the search.
// parity: multinodeconsolidation.go (the first m candidates, here for every m), singlenodeconsolidation.go
//
// The pass and the commands are subject to the same rejections: required_savings.h, and the forecast unless the options
// disable it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "disruption/disruption.h"

namespace tenon::disruption::testing {

// The gain of a pass without emptiness, and that of the best single command on the same cluster after emptiness.
struct Compared {
  model::Price pass, command;
  std::vector<std::string> nodes;  // of the command
};
// kIsBeaten: skips commands that cannot gain more than the pass, which takes a fraction of the time.
enum class Question { kHowMuch, kIsBeaten };
// `every_set`: compares all sets that the budgets allow; if not, single nodes and the first m nodes by saving.
Compared compare_commands(const scheduling::Snapshot& snapshot, const Options& options, bool every_set,
                          Question question = Question::kHowMuch);
// Returns empty if the pass on the worn cluster of this seed gains at least as much as the best command, else a
// message.
std::string compare_savings(uint64_t seed);
// The same for half_gone(): a cluster that has lost half of its pods.
std::string compare_half_gone(uint64_t seed);

}  // namespace tenon::disruption::testing
