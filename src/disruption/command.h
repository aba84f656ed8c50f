// Judges moves before they are made, and finds the best single command: candidates that are removed together and
// replaced with one cheaper node or none, as Karpenter's commands are. Pure.
//
// A pass of many moves may gain less than one such command, because each small move fills the room that the command
// counts on. The search compares, so that it never does.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "disruption/simulation.h"

namespace tenon::disruption {

// The least gain of a move, in percent of the price of the nodes that it removes: kRepackGainPercent if it launches
// several nodes, because the next plan always differs a little; kSpotGainPercent if spot prices are involved, because
// they change. A move that launches one on-demand node, or none, needs no more than a positive gain.
inline constexpr int64_t kRepackGainPercent = 2, kSpotGainPercent = 10;

// Candidates of one command, at most. parity: multinodeconsolidation.go, whose binary search ends at 101
inline constexpr size_t kMostTogether = 101;

// Nodes that may go, and how that gains the most.
struct Trial {
  Nodes nodes;
  Simulation::Estimate estimate;
};

// Gains so much of what these nodes cost that no change of prices takes it back.
bool worth_it(const Move& move, const Nodes& nodes, model::Price node_price);
// Sets method and reason of a move of consolidation.
void name_consolidation(Move& move);

// The trial as a move of consolidation, or why it is not made; no word if the move gains too little.
Judgement weigh(Simulation& simulation, const Trial& trial, model::Price node_price);

// The gain of removing these nodes without a replacement.
model::Price most_gain(const Nodes& nodes, model::Price node_price);

struct Command {
  Trial trial;
  model::Price gain;  // of the move
};
// Finds the m, from 2 on, for which the first m nodes of `order` gain the most as one command. Returns nothing if no
// such command gains more than `above`. Tries the largest m first and stops after a fixed number of steps.
std::optional<Command> best_command(Simulation& simulation, const Nodes& order, model::Price node_price,
                                    model::Price above);

}  // namespace tenon::disruption
