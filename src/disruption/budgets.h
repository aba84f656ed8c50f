// How many nodes of a NodePool may be disrupted at once, and how many of them are left. Pure.
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

// How many more nodes of each pool may be disrupted now for a reason.
class BudgetLeft {
 public:
  BudgetLeft(const scheduling::Snapshot& snapshot, const Options& options, std::string_view reason);
  int left(std::string_view pool) const;
  // Enough for all of these together?
  bool allows(const std::vector<const Candidate*>& nodes) const;
  void take(const Candidate& candidate);
  // By pool.
  struct Use {
    int allowed = 0, consuming = 0;  // nodes
  };
  std::map<std::string, Use> uses() const;
  // Why nothing is left for the pool.
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

// What is malformed in the pool's budgets ("budgets[0]: …"), the first such thing; empty: nothing. Such a pool lets no
// node go.
std::string budget_problem(const model::NodePool& pool);

}  // namespace tenon::disruption
