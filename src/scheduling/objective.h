// What makes one plan better than another, in this order: pods left behind (the most important first), preferences
// given up, lighter NodePools used (than each pod could have), price with the price of a node, number of nodes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>

#include "scheduling/state.h"

namespace tenon::scheduling {

struct Objective {
  std::vector<std::pair<int64_t, int>> left_behind;  // (−priority, pods), the highest priority first
  int64_t given_up = 0, lightness = 0;
  model::Price cost;
  size_t nodes = 0;
  // Counts this pod no longer as left behind: it is still to be placed.
  void forget(const model::Pod& pod);
  // Adds a node that has pods: what they gave up and, if it is to be launched, its price and how light its NodePool is.
  void add(const State& state, const Bin& bin);
  friend auto operator<=>(const Objective& a, const Objective& b) {
    if (const auto c = compare_left_behind(a, b); c != 0) return c;
    if (const auto c = a.given_up <=> b.given_up; c != 0) return c;
    if (const auto c = a.lightness <=> b.lightness; c != 0) return c;
    if (const auto c = a.cost <=> b.cost; c != 0) return c;
    return a.nodes <=> b.nodes;
  }

 private:
  static std::strong_ordering compare_left_behind(const Objective& a, const Objective& b);
};

Objective objective(const State& state);

}  // namespace tenon::scheduling
