// Candidates: the nodes that may be disrupted, before budgets and prices are considered. Pure.
// parity: karpenter pkg/controllers/disruption/types.go NewCandidate, pkg/utils/pdb, pkg/utils/pod
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "disruption/budgets.h"
#include "disruption/cost.h"
#include "disruption/disruption.h"

namespace tenon::disruption {

struct Candidate {
  const scheduling::NodeView* node = nullptr;  // in the snapshot
  const scheduling::PoolView* pool = nullptr;  // in the snapshot
  model::Price price;
  int64_t cost_milli = 0;
  const std::string& name() const { return node->name(); }
  // Returns whether no reschedulable pod has a positive eviction cost.
  bool empty() const { return cost_milli <= kOrdinaryPodMilli; }
};

// kGraceful: pods that must not be evicted keep their node. kEventual: they keep it only if the NodeClaim has no
// terminationGracePeriod, which would end them.
enum class Patience { kGraceful, kEventual };

// Returns the candidates by name. Adds to `kept` what keeps each other managed node.
std::vector<Candidate> candidates(const scheduling::Snapshot& snapshot, const Options& options, Patience patience,
                                  std::map<std::string, Kept>& kept);

// Returns pointers into `all` in the order in which budgets are used: the highest price for each unit of disruption
// cost first, ties by name.
// parity: consolidation.go sortCandidates
std::vector<const Candidate*> most_saving_first(const std::vector<Candidate>& all);

// Returns whether the pods of the node have not changed for consolidateAfter (condition Consolidatable).
bool consolidatable(const Candidate& candidate);

}  // namespace tenon::disruption
