// Problem: each move of a search changes the room, the limits and the budgets that the next one finds, and the search
// may have to return to the start.
//
// Method: a Course owns one RemovalEvaluator, which holds the cluster after the moves so far. make() judges a trial on
// that cluster. If the move holds, it stays in the simulation, its nodes are taken from the budgets, and it is appended
// to the list. So the moves are disjoint and valid in their order. The nodes of a move and the nodes that accept its
// pods are settled: no later move may remove them, so no pod is evicted twice. A move cannot be undone by itself.
// restart() compiles the cluster again; end_with() replaces the list with moves that were judged elsewhere, and leaves
// the simulation as it is.
//
// Example: candidates a, b, c and d of a pool whose budget allows 2 nodes. The first move removes a; b accepts the pods
// of a. remaining() returns c and d. The second move removes c. The budget is used up: remaining() is empty, and
// name_budgets() records the reason Budget for d if its removal paid at the start.
//
// Cost: make() takes one judgement (removal_evaluator.cc), restart() one compilation of the cluster, O(nodes + pods).
// SPDX-License-Identifier: Apache-2.0
#include "disruption/course.h"

#include <algorithm>
#include <set>

namespace tenon::disruption {

Course::Course(const scheduling::Snapshot& snapshot, const Options& options, Nodes candidates, const BudgetLeft& budget,
               std::map<std::string, Kept>& kept)
    : snapshot_(snapshot),
      options_(options),
      candidates_(std::move(candidates)),
      whole_(budget),
      budget_(budget),
      kept_(kept) {}

RemovalEvaluator& Course::evaluator() {
  if (!evaluator_) evaluator_.emplace(snapshot_, options_, candidates_);
  return *evaluator_;
}

void Course::free_simulation() {
  if (evaluator_) steps_ += evaluator_->steps();
  evaluator_.reset();
}

void Course::restart() {
  free_simulation();
  budget_ = whole_;
  moves_.clear();
}

bool Course::make(const Trial& trial) {
  Judgement judgement = weigh(evaluator(), trial, node_price());
  if (!judgement.move) {
    if (trial.nodes.size() == 1 && !judgement.why_not.empty()) {
      keep(*trial.nodes.front(), std::move(judgement.why_not));
    }
    return false;
  }
  evaluator_->commit();
  for (const Candidate* candidate : trial.nodes) budget_.take(*candidate);
  moves_.push_back(std::move(*judgement.move));
  return true;
}

void Course::end_with(std::vector<Move> moves) {
  moves_ = std::move(moves);
  std::set<std::string_view> going;
  for (const Move& move : moves_) going.insert(move.nodes.begin(), move.nodes.end());
  budget_ = whole_;
  for (const Candidate* candidate : candidates_) {
    if (going.contains(candidate->name())) budget_.take(*candidate);
  }
}

std::optional<Trial> Course::with_one_new_node(const Trial& refused) {
  if (refused.estimate.offer.most == 1) return std::nullopt;
  Trial trial{refused.nodes, evaluator().estimate_command(refused.nodes)};
  return trial.estimate.pays ? std::optional(std::move(trial)) : std::nullopt;
}

void Course::keep(const Candidate& candidate, std::string why) {
  kept_[candidate.name()] = {"Unconsolidatable", std::move(why), "node/" + candidate.name()};
}

void Course::name_budgets(const std::vector<Trial>& trials) {
  for (const Trial& trial : trials) {
    for (const Candidate* candidate : trial.nodes) {
      const std::string_view pool = candidate->node->pool();
      if (budget_.left(pool) == 0) kept_.try_emplace(candidate->name(), budget_.blocked(pool));
    }
  }
}

Nodes Course::remaining(const Nodes& nodes) {
  Nodes left;
  std::copy_if(nodes.begin(), nodes.end(), std::back_inserter(left), [&](const Candidate* candidate) {
    return evaluator().open(*candidate) && budget_.left(candidate->node->pool()) > 0;
  });
  return left;
}

model::Price Course::gained() const {
  model::Price sum;
  for (const Move& move : moves_) sum += gain_of(move, node_price());
  return sum;
}

}  // namespace tenon::disruption
