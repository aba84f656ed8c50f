// Problem: remove the nodes that no pod needs. It has no placement to plan, so it comes before drift and consolidation.
//
// Method: all empty nodes are one move without replacements. They take the budgets (reason Empty) of their NodePools
// with the most expensive node first: the disruption cost of each is 1000, so price / cost orders them by price. A node
// stays if its pool is static, never consolidates or waits for consolidateAfter, or if the node holds room that a
// CapacityBuffer keeps free. The second look validates each node by itself.
//
// Example: a pool with a budget of 2 nodes has empty nodes at 0.384, 0.192 and 0.096 USD/h. The move removes the first
// two and saves 0.576. The third has the reason Budget.
//
// Cost: O(n log n) for n candidates.
// SPDX-License-Identifier: Apache-2.0
#include "disruption/emptiness.h"

#include <algorithm>

#include "disruption/consolidatable.h"
#include "disruption/cost.h"

namespace tenon::disruption {

bool counts_as_empty(const Candidate& candidate) {
  return candidate.empty() && !candidate.pool->pool->replicas && candidate.pool->pool->consolidate_after &&
         consolidatable(candidate);
}

std::optional<Move> find_empty(const scheduling::Snapshot& snapshot, const Options& options,
                               const std::vector<Candidate>& all, const Headroom& held,
                               std::map<std::string, Kept>& kept) {
  BudgetLeft budget(snapshot, options, "Empty");
  Move move;
  move.reason = "Empty";
  move.method = Method::kEmptiness;
  for (const Candidate* each : most_saving_first(all)) {
    const Candidate& candidate = *each;
    if (!candidate.empty()) continue;
    const std::string& name = candidate.name();
    if (auto why = why_not_yet(snapshot, candidate)) {
      kept[name] = std::move(*why);
    } else if (held.nodes.contains(name)) {
      kept[name] = {"Unconsolidatable", "Node \"" + name + "\" has buffer pods", "node/" + name};
    } else if (budget.left(candidate.node->pool()) == 0) {
      kept[name] = budget.blocked(candidate.node->pool());
    } else {
      budget.take(candidate);
      move.nodes.push_back(name);
      move.savings += candidate.price;
      move.disruption_cost_milli += candidate.cost_milli;
    }
  }
  if (move.nodes.empty()) return std::nullopt;
  std::sort(move.nodes.begin(), move.nodes.end());
  return move;
}

}  // namespace tenon::disruption
