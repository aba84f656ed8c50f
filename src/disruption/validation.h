// The second look: validates a move some time after it was found and before it starts. Pure.
// parity: karpenter pkg/controllers/disruption/validation.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "disruption/disruption.h"

namespace tenon::disruption {

struct Validation {
  // The move to start now. It removes the same nodes, or those of them that are still empty, and launches the
  // replacements that the present snapshot needs.
  std::optional<Move> move;
  // Set if there is no move, or if some empty nodes are no longer part of it:
  std::string reason;   // as in the ConsolidationRejected event: churn, budget, scheduling
  std::string message;  // in words
};

// Accepts the move if its nodes are still candidates, their pods did not change, the budgets still allow it, all pods
// still fit with the same number of replacements of the same types, and it still gains money. From a move of empty
// nodes, removes those that are in use again or no longer allowed.
Validation validate_move(const scheduling::Snapshot& snapshot, const Options& options, const Move& move);

}  // namespace tenon::disruption
