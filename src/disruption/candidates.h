// Which nodes may be disrupted at all, and how many of a NodePool at once. Pure.
// parity: karpenter pkg/controllers/disruption/types.go NewCandidate, helpers.go BuildDisruptionBudgetMapping
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

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

// By name. What keeps each other managed node goes to `kept`, unless it is being disrupted already.
std::vector<Candidate> candidates(const scheduling::Snapshot& snapshot, const Options& options, Patience patience,
                                  std::map<std::string, Kept>& kept);

// How many more nodes of each pool may be disrupted now for a reason.
class BudgetLeft {
 public:
  BudgetLeft(const scheduling::Snapshot& snapshot, const Options& options, std::string_view reason);
  int left(std::string_view pool) const;
  // Enough for all of these together?
  bool allows(const std::vector<const Candidate*>& nodes) const;
  void take(const Candidate& candidate);

 private:
  std::map<std::string, int, std::less<>> left_;
};

bool consolidatable(const Candidate& candidate);

}  // namespace tenon::disruption
