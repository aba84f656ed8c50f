// Disruption budgets: how many nodes of a NodePool may be disrupted at once, and how many of these are left. Pure.
// parity: karpenter pkg/controllers/disruption/helpers.go BuildDisruptionBudgetMapping
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "disruption/disruption.h"

namespace tenon::disruption {

struct Candidate;

// The number of nodes of each pool that may still be disrupted now for one reason.
class BudgetLeft {
 public:
  BudgetLeft(const scheduling::Snapshot& snapshot, const Options& options, std::string_view reason);
  int left(std::string_view pool) const;
  // Returns whether the budgets allow all of these nodes together.
  bool allows(const std::vector<const Candidate*>& nodes) const;
  void take(const Candidate& candidate);
  // By pool.
  struct Use {
    int allowed = 0, consuming = 0;  // nodes
  };
  std::map<std::string, Use> uses() const;
  // Returns the reason why no budget of the pool is left.
  Kept blocked(std::string_view pool) const;

 private:
  struct Count {
    int total = 0, consuming = 0, allowed = 0;
    std::string problem;  // of a malformed budget
    int left() const;
  };
  std::string reason_;
  std::map<std::string, Count, std::less<>> counts_;
};

// Returns the first malformed field of the pool's budgets ("budgets[0]: …"); empty if there is none. A malformed budget
// blocks every disruption of the pool.
std::string budget_problem(const model::NodePool& pool);

}  // namespace tenon::disruption
