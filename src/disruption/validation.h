// A second look at a move, some time after it was found and before it is made. Pure.
// parity: karpenter pkg/controllers/disruption/validation.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "disruption/disruption.h"

namespace tenon::disruption {

struct SecondLook {
  // The move to start now. It removes the same nodes, or those of them that are still empty, and launches the
  // replacements that the present snapshot needs.
  std::optional<Move> move;
  // Without a move, or where empty nodes fell out:
  std::string reason;   // as in the ConsolidationRejected event: churn, budget, scheduling
  std::string message;  // in words
};

// Nodes are still candidates, their pods did not change, budgets still allow it, all pods still find a place in the
// same number of replacements, and it still saves money.
SecondLook look_again(const scheduling::Snapshot& snapshot, const Options& options, const Move& move);

}  // namespace tenon::disruption
