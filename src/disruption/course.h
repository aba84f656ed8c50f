// Course: the state of a search for consolidations. It holds the moves found so far, the cluster after these moves, and
// the budgets that are left. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "disruption/command.h"

namespace tenon::disruption {

class Course {
 public:
  // Borrows all but `candidates`. Adds to `kept` why single nodes stay.
  Course(const scheduling::Snapshot& snapshot, const Options& options, Nodes candidates, const BudgetLeft& budget,
         std::map<std::string, Kept>& kept);

  // Discards all moves.
  void restart();
  // Frees the memory of the simulation, but keeps the list of moves. With moves, restart() or end_with() must follow
  // before the simulation is used again.
  void free_simulation();
  // Makes the trial's move if it holds.
  bool make(const Trial& trial);
  // Replaces the moves with these. The simulation must not be used afterwards.
  void end_with(std::vector<Move> moves);
  // Returns the refused trial with at most one new node, if the trial was allowed several and one still pays.
  std::optional<Trial> with_one_new_node(const Trial& refused);
  // Records why the node stays.
  void keep(const Candidate& candidate, std::string why);
  // Records the reason Budget for the nodes of these trials that stay because the moves have used up their budget.
  void name_budgets(const std::vector<Trial>& trials);

  const Nodes& candidates() const { return candidates_; }
  // Returns the nodes that are open and within the budgets that are left.
  Nodes remaining(const Nodes& nodes);
  const BudgetLeft& budget() const { return budget_; }       // what is left of it
  const BudgetLeft& whole_budget() const { return whole_; }  // before the first move
  model::Price gained() const;                               // by all moves
  model::Price node_price() const { return options_.solve.node_price; }
  const std::vector<Move>& moves() const { return moves_; }
  // The cluster after the moves; compiled when it is used first, after the start, restart() or free_simulation().
  RemovalEvaluator& evaluator();
  int64_t steps() const { return steps_ + (evaluator_ ? evaluator_->steps() : 0); }

 private:
  const scheduling::Snapshot& snapshot_;
  const Options& options_;
  const Nodes candidates_;
  const BudgetLeft& whole_;
  BudgetLeft budget_;
  std::map<std::string, Kept>& kept_;
  std::optional<RemovalEvaluator> evaluator_;  // none: the cluster is not compiled
  std::vector<Move> moves_;
  int64_t steps_ = 0;  // of simulations before this one
};

}  // namespace tenon::disruption
