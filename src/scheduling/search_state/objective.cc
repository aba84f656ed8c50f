// SPDX-License-Identifier: Apache-2.0
#include "scheduling/search_state/objective.h"

#include <algorithm>

namespace tenon::scheduling {

// Compares the counts from the highest priority down; the first difference decides.
std::strong_ordering Objective::compare_left_behind(const Objective& a, const Objective& b) {
  size_t i = 0, j = 0;
  while (i < a.unplaced.size() || j < b.unplaced.size()) {
    const int64_t next_a = i < a.unplaced.size() ? a.unplaced[i].first : INT64_MAX;
    const int64_t next_b = j < b.unplaced.size() ? b.unplaced[j].first : INT64_MAX;
    const int64_t priority = std::min(next_a, next_b);
    const int count_a = next_a == priority ? a.unplaced[i++].second : 0;
    const int count_b = next_b == priority ? b.unplaced[j++].second : 0;
    if (count_a != count_b) return count_a <=> count_b;
  }
  return std::strong_ordering::equal;
}

void Objective::forget(const model::Pod& pod) {
  for (auto& [priority, count] : unplaced) {
    if (priority == -int64_t{pod.spec->priority}) --count;
  }
}

void Objective::add(const State& state, const Bin& bin) {
  const Problem& problem = state.problem();
  for (const Placed& p : bin.placed) relaxed += static_cast<int64_t>(p.form);
  if (!bin.fresh()) return;
  for (const Placed& p : bin.placed) lightness += problem.lightness(p.pod_class, static_cast<size_t>(bin.pool));
  cost += state.price(bin) + problem.options.node_price;
  ++nodes;
}

Objective objective(const State& state) {
  const Problem& problem = state.problem();
  Objective result;
  std::map<int64_t, int> left;
  for (size_t pod = 0; pod < problem.pods.size(); ++pod) {
    if (state.bin_of(pod) == kNone) ++left[-int64_t{problem.pods[pod].pod->spec->priority}];
  }
  result.unplaced.assign(left.begin(), left.end());
  for (const Bin& bin : state.bins()) {
    if (!bin.placed.empty()) result.add(state, bin);
  }
  return result;
}

}  // namespace tenon::scheduling
