// First fit: pods in Karpenter's order, each into the first place that takes it: existing nodes, then open nodes (the
// one with the fewest pods first, as Karpenter does, or in the order in which they were opened), then a new node of the
// heaviest pool; preferences are given up only when all of that fails. It looks at no price. The plan it gives is the
// floor: no other plan may be dearer, and its choice of zones is what others keep. Pods of one class that follow each
// other are placed together as far as rules allow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "scheduling/state.h"

namespace tenon::scheduling {

// kSize: by CPU, then by memory. parity: karpenter queue.go. kMemory: by memory, then by CPU. kShare: by the largest
// share of any resource that the pod takes of the largest type.
enum class PodOrder { kSize, kPriorityThenSize, kMemory, kShare };

// All pods that can be planned, biggest first; those of a class together.
std::vector<size_t> pods_in_order(const Problem& problem, PodOrder order);

enum class OpenOrder { kFewestPods, kOldest };

// Where pods may go, and when to stop. Borrowed by a FirstFit.
struct Terms {
  // By class: the existing nodes to try. Null: all of them.
  const std::vector<RowSet>* nodes = nullptr;
  RowSet closed;                              // existing nodes that take no pods
  size_t first_new = 0;                       // open nodes before this bin take no pods
  size_t most_new = static_cast<size_t>(-1);  // nodes to open
  std::optional<model::Price> total_below;    // what they may cost together, with SolveOptions::node_price for each
  bool all = false;                           // stop at the first pod that surely finds no place
};

class FirstFit {
 public:
  explicit FirstFit(State& state, OpenOrder order = OpenOrder::kFewestPods);
  FirstFit(State& state, const Terms& terms);
  // Tries until a whole round places nothing more; returns the pods that found no place.
  std::vector<size_t> place(std::vector<size_t> pods);
  // place() returns soon after so many steps, with the pods that it has not tried among those without a place.
  void stop_after(int64_t steps) { most_steps_ = steps; }
  int64_t steps() const { return steps_; }

 private:
  // Pods of one class, at one stage of giving up preferences.
  struct Run {
    Ask ask;
    std::span<const size_t> left;
    RowSet never;  // bins that will not take them
    RowSet never_pools;
    bool later = false;  // some bin may take them later
  };
  void place_run(Run& run);
  void use_form(Run& run, size_t form);
  bool pass(Run& run);
  void pass_oldest(Run& run);
  void pass_fewest_pods(Run& run);
  bool open_one(Run& run);
  bool may_open() const;
  void put_on_nodes(Run& run);
  bool put(Run& run, size_t bin, size_t share);
  void fill(Run& run, size_t bin, int count);
  void rank(size_t bin, size_t pods);

  State& state_;
  OpenOrder order_;
  const Terms* terms_ = nullptr;
  size_t first_new_ = 0;  // the first bin of those that may be open
  Fit fit_;
  std::vector<std::vector<std::vector<size_t>>> open_;  // open bins by pool and number of pods
  std::vector<size_t> at_;                              // of a bin from first_new_ on, in its list
  int64_t steps_ = 0, most_steps_ = std::numeric_limits<int64_t>::max();
  int restarts_ = 0;  // of pass_oldest()
};

}  // namespace tenon::scheduling
