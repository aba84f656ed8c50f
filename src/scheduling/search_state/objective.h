// Objective: what makes one plan better than another. The comparison is lexicographic, in this order:
//
//   1. unplaced  unschedulable pods by priority: fewer of the highest priority first
//   2. relaxed     preferences that were relaxed, summed over pods
//   3. lightness    how much lighter the NodePools of new nodes are than the heaviest one that each pod could have
//   4. cost         price of the new nodes, each with SolveOptions::node_price
//   5. nodes        number of new nodes
//
// So no price makes up for an unschedulable pod, and no number of pods of low priority for one of high priority. With
// one pod of priority 100 left behind, a plan is worse than one that leaves ten of priority 0 behind.
//
// Cost: objective() is linear in pods and bins; add() is linear in the pods of one bin, for plans that grow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>

#include "scheduling/search_state/state.h"

namespace tenon::scheduling {

struct Objective {
  std::vector<std::pair<int64_t, int>> unplaced;  // (−priority, pods), the highest priority first
  int64_t relaxed = 0, lightness = 0;
  model::Price cost;
  size_t nodes = 0;
  // Does not count this pod as left behind: it has not been placed yet.
  void forget(const model::Pod& pod);
  // Adds a node with pods: their relaxed preferences and, for a new node, its price and lightness.
  void add(const State& state, const Bin& bin);
  friend auto operator<=>(const Objective& a, const Objective& b) {
    if (const auto c = compare_left_behind(a, b); c != 0) return c;
    if (const auto c = a.relaxed <=> b.relaxed; c != 0) return c;
    if (const auto c = a.lightness <=> b.lightness; c != 0) return c;
    if (const auto c = a.cost <=> b.cost; c != 0) return c;
    return a.nodes <=> b.nodes;
  }

 private:
  static std::strong_ordering compare_left_behind(const Objective& a, const Objective& b);
};

Objective objective(const State& state);

}  // namespace tenon::scheduling
