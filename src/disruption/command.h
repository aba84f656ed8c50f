// Moves that are judged before they are made, and the best single command among them: candidates that go together for
// one cheaper node or none, as the peer's commands are. Pure.
//
// A pass of many moves may gain less than one such command, because each small move fills the room that the command
// counts on. The search compares, so that it never does.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "disruption/simulation.h"

namespace tenon::disruption {

// A move that launches must gain this part of what goes: with several nodes launched, where every next plan differs a
// little, and with spot capacity, whose price changes. Of nodes for one cheaper node any gain is taken, as is a move
// that launches nothing.
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

struct Command {
  Trial trial;
  model::Price gain;  // of the move
};
// Of the first m of `order`, for every m from 2 on, those that gain the most together and more than `above`; nothing if
// there are none. Tries the large m first, and ends after some steps.
std::optional<Command> best_command(Simulation& simulation, const Nodes& order, model::Price node_price,
                                    model::Price above);

}  // namespace tenon::disruption
