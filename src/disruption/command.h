// Judges moves before they are made, and finds the best single command: candidates that are removed together and
// replaced with one cheaper node or none, as Karpenter's commands are. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "disruption/removal_evaluator.h"

namespace tenon::disruption {

// The maximum number of candidates of one command. parity: multinodeconsolidation.go, whose binary search ends at 101
inline constexpr size_t kMostTogether = 101;

// A set of candidates, and the estimate of the best way to remove them.
struct Trial {
  Nodes nodes;
  RemovalEvaluator::Estimate estimate;
};

// Returns whether the gain of a move of these nodes is positive and reaches kRepackGainPercent and kSpotGainPercent, so
// that small changes of prices do not revert the move.
bool worth_it(const Move& move, const Nodes& nodes, model::Price node_price);
// Sets method and reason of a move of consolidation.
void name_consolidation(Move& move);

// Returns the trial as a move of consolidation, or why it is not made. `why_not` is empty if the move gains too little.
Judgement weigh(RemovalEvaluator& evaluator, const Trial& trial, model::Price node_price);

// The gain of removing these nodes without a replacement.
model::Price most_gain(const Nodes& nodes, model::Price node_price);

struct Command {
  Trial trial;
  model::Price gain;  // of the move
};
// Finds the m ≥ 2 for which the first m nodes of `order` gain the most as one command. Returns std::nullopt if no
// such command gains more than `above`. Tries the largest m first, and stops after a fixed number of steps.
std::optional<Command> best_command(RemovalEvaluator& evaluator, const Nodes& order, model::Price node_price,
                                    model::Price above);

}  // namespace tenon::disruption
