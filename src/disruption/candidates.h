// Which nodes may be disrupted at all. Pure.
// parity: karpenter pkg/controllers/disruption/types.go NewCandidate, pkg/utils/pdb, pkg/utils/pod
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "disruption/budgets.h"
#include "disruption/disruption.h"

namespace tenon::disruption {

struct Candidate {
  const scheduling::NodeView* node = nullptr;  // in the snapshot
  const scheduling::PoolView* pool = nullptr;  // in the snapshot
  model::Price price;
  int64_t cost_milli = 0;
  const std::string& name() const { return node->name(); }
};

// kGraceful stops at pods that refuse to be moved; kEventual does not where a terminationGracePeriod will end them.
enum class Patience { kGraceful, kEventual };

// By name. What keeps each other managed node goes to `kept`.
std::vector<Candidate> candidates(const scheduling::Snapshot& snapshot, const Options& options, Patience patience,
                                  std::map<std::string, Kept>& kept);

// In which order budgets are used up: the most money for each disruption first, then by name. Pointers into `all`.
// parity: consolidation.go sortCandidates
std::vector<const Candidate*> most_saving_first(const std::vector<Candidate>& all);

// The pods of the node have not changed for consolidateAfter.
bool consolidatable(const Candidate& candidate);

}  // namespace tenon::disruption
