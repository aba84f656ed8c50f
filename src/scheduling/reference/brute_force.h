// A slow and simple solver: it tries every way to place a handful of pods on existing nodes, on new nodes, and nowhere,
// and keeps the best. Linked into tests only; shares nothing with solve() except the model. Pods may have resources,
// selectors, required node affinity, tolerations, host ports, priorities, spreads, one term of required affinity and
// any number of anti-affinity, by hostname or zone, and claims that are bound to volumes with node requirements; pools
// may have weights, taints, limits and labels with one value. A node that is being deleted accepts no pod, but its zone
// counts for spreads.
//
//   Best best = brute_force(snapshot);
//   EXPECT_EQ(solve(snapshot, {}).price, best.price);
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>

#include "scheduling/input/snapshot.h"

namespace tenon::scheduling::reference {

inline constexpr size_t kMostPods = 6;  // the work grows with the Bell numbers

struct Best {
  std::map<int, int, std::greater<>> unplaced;  // priority → pods
  int64_t lightness = 0;  // sum over pods: weight of the heaviest possible pool minus that of its pool
  model::Price price;
  size_t nodes = 0;  // new ones
  friend auto operator<=>(const Best&, const Best&) = default;
};

// Return true if this pod, alone, could run on this node, or on some new node of this pool. Ignore topology and limits.
bool feasible(const Snapshot& snapshot, const model::Pod& pod, const NodeView& node);
bool feasible(const Snapshot& snapshot, const model::Pod& pod, const PoolView& pool);

// Returns true if at most kMostPods are pending and the snapshot has only the features above. Otherwise the results
// here are meaningless. Assumes the default options of the solver.
bool understands(const Snapshot& snapshot);

// Returns, by key of a pending pod, the weight of the heaviest pool that could launch a node for it if it were the only
// pod; 0 if none could.
std::map<std::string, int> heaviest(const Snapshot& snapshot);

// Returns the best plan for all pending pods, at most kMostPods.
Best brute_force(const Snapshot& snapshot);
// The same if it is at least as good as `to_beat`; otherwise std::nullopt. Faster, because worse plans are pruned.
std::optional<Best> brute_force(const Snapshot& snapshot, const Best& to_beat);

}  // namespace tenon::scheduling::reference
