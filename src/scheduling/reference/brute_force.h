// A solver that is slow and obvious: it tries every way to share a handful of pods out among the nodes that are there,
// nodes that could be bought, and nowhere, and keeps the best. Linked into tests only; shares nothing with solve() but
// the model. Pods may have resources, selectors, required node affinity, tolerations, host ports, priorities, spreads,
// one term of required affinity and any of anti-affinity, by hostname or zone, and claims that are bound to volumes
// with requirements of nodes; pools may have weights, taints, limits and labels with one value. A node that is being
// deleted takes no pod, but its zone still counts for spreads.
//
//   Best best = brute_force(snapshot);
//   EXPECT_EQ(solve(snapshot, {}).price, best.price);
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>

#include "scheduling/snapshot.h"

namespace tenon::scheduling::reference {

inline constexpr size_t kMostPods = 6;  // the work grows with Bell's numbers

struct Best {
  std::map<int, int, std::greater<>> left_behind;  // priority → pods
  int64_t lightness = 0;  // sum over pods: weight of the heaviest possible pool minus that of its pool
  model::Price price;
  size_t nodes = 0;  // bought
  friend auto operator<=>(const Best&, const Best&) = default;
};

// Could this pod, alone, run on this node, or on some new node of this pool (topology and limits aside)?
bool feasible(const Snapshot& snapshot, const model::Pod& pod, const NodeView& node);
bool feasible(const Snapshot& snapshot, const model::Pod& pod, const PoolView& pool);

// At most kMostPods wait, and nothing stands in the snapshot but what is said above; so if not, nothing here is to be
// asked about it. Solver options that differ from the default ones are not looked at.
bool understands(const Snapshot& snapshot);

// By key of a pending pod, the weight of the heaviest pool that could buy a node for it if it were the only one; 0 if
// none could.
std::map<std::string, int> heaviest(const Snapshot& snapshot);

// The best plan for all pending pods, at most kMostPods.
Best brute_force(const Snapshot& snapshot);
// The same, if it is at least as good as this; nothing if no plan is. Dearer ones are not looked at, which is faster.
std::optional<Best> brute_force(const Snapshot& snapshot, const Best& to_beat);

}  // namespace tenon::scheduling::reference
