// "What if these nodes were gone": where their pods would go, and whether that is a move worth making. Pure.
// parity: karpenter pkg/controllers/disruption/helpers.go SimulateScheduling, consolidation.go computeConsolidation
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "disruption/candidates.h"

namespace tenon::disruption {

// What a simulation may buy in place of the nodes.
enum class Buy { kNothing, kOneCheaper, kAnything };

struct Judgement {
  std::optional<Move> move;  // with nodes, replacements, pods and savings; reason and method are the caller's
  std::string why_not;       // a sentence, as in the Unconsolidatable event
};
Judgement simulate(const scheduling::Snapshot& snapshot, const Options& options,
                   const std::vector<const Candidate*>& nodes, Buy buy);

}  // namespace tenon::disruption
