// SPDX-License-Identifier: Apache-2.0
#include "disruption/best_set.h"

#include <queue>

namespace tenon::disruption {
namespace {

struct Entry {
  model::Price most;  // that the set may gain
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

// The queue is ordered by an upper bound of the gain. The first set is estimated, which lowers its bound; a set that is
// first with an estimate is made if its move holds.
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
      entry.trial.estimate = course.simulation().estimate(entry.trial.nodes);
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
