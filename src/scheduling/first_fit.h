// First fit: pods in Karpenter's order, each into the first place that takes it: existing nodes, then the open node
// with the fewest pods, then a new node of the heaviest pool; preferences are given up only when all of that fails. It
// looks at no price. The plan it gives is the floor: no other plan may be dearer, and its choice of zones is what
// others keep.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "scheduling/state.h"

namespace tenon::scheduling {

enum class PodOrder { kSize, kPriorityThenSize };

// All pods that can be planned, biggest first. parity: karpenter queue.go
std::vector<size_t> pods_in_order(const Problem& problem, PodOrder order);

class FirstFit {
 public:
  explicit FirstFit(State& state);
  // Tries until a whole round places nothing more; returns the pods that found no place.
  std::vector<size_t> place(std::vector<size_t> pods);
  int64_t steps() const { return steps_; }

 private:
  struct Tried {  // by class and form
    RowSet never_bins, never_pools;
  };
  bool place_one(size_t pod);
  bool place_existing(const Ask& ask, size_t pod, Tried& tried);
  bool place_open(const Ask& ask, size_t pod, Tried& tried);
  bool place_new(const Ask& ask, size_t pod, Tried& tried);

  State& state_;
  Fit fit_;
  std::vector<std::vector<Tried>> tried_;
  std::set<std::pair<size_t, size_t>> open_;  // (pods, bin)
  int64_t steps_ = 0;
};

}  // namespace tenon::scheduling
