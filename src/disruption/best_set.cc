// Problem: of all sets of at most kEverySetUpTo candidates, make the move that gains the most.
//
// Method: best-first search with an upper bound. No set gains more than the price of its nodes and their node prices,
// so this is its first key in a queue. The first set of the queue is estimated, which lowers its key to the estimated
// gain. A set that is first with an estimate is made, if its judgement holds: every other set has a bound or an
// estimate that is not higher. If the judgement rejects it, the set returns once to the queue with at most one new
// node. Ties: sets without an estimate first, then fewer nodes, less disturbance, names.
//
// Example, with a node price of 0: a costs 0.192 USD/h, b and c cost 0.096. {a,b,c} has the bound 0.384; its estimate
// is 0.096. {a,b} and {a,c} have the bound 0.288; {a,b} is estimated at 0.192, {a,c} does not pay. {a} and {b,c} have
// the bound 0.192; {a} is estimated at 0.096, {b,c} does not pay. {a,b} is first again, with 0.192, and is made. {b}
// and {c}, with the bound 0.096, are never estimated.
//
// Cost: at most 2^n − 1 estimates for n candidates, 255 for 8.
// SPDX-License-Identifier: Apache-2.0
#include "disruption/best_set.h"

#include <queue>

namespace tenon::disruption {
namespace {

struct Entry {
  model::Price most;  // upper bound of the gain, or its estimate
  bool estimated = false;
  Trial trial;
  bool operator<(const Entry& other) const {
    if (most != other.most) return most < other.most;
    if (estimated != other.estimated) return estimated;
    const Nodes &mine = trial.nodes, &theirs = other.trial.nodes;
    if (mine.size() != theirs.size()) return mine.size() > theirs.size();
    if (disturbance(mine) != disturbance(theirs)) return disturbance(mine) > disturbance(theirs);
    return names(mine) > names(theirs);
  }
};

}  // namespace

bool make_best_set(Course& course) {
  std::priority_queue<Entry> queue;
  for (Nodes& nodes : sets_of(course.remaining(course.candidates()), course.budget())) {
    const model::Price most = most_gain(nodes, course.node_price());
    queue.push({most, false, {std::move(nodes), {}}});
  }
  while (!queue.empty()) {
    Entry entry = queue.top();
    queue.pop();
    std::optional<Trial> next;
    if (!entry.estimated) {
      entry.trial.estimate = course.evaluator().estimate(entry.trial.nodes);
      if (entry.trial.estimate.pays) next = std::move(entry.trial);
    } else if (course.make(entry.trial)) {
      return true;
    } else {
      next = course.with_one_new_node(entry.trial);
    }
    if (!next) continue;
    const model::Price gain = next->estimate.gain;
    queue.push({gain, true, std::move(*next)});
  }
  return false;
}

}  // namespace tenon::disruption
