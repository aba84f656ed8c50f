// First fit: places pods in a given order, each into the first bin that accepts it (first_fit.cc). solve() starts from
// such a plan in Karpenter's order and never returns a worse one; the search that improves it keeps its choice of
// zones.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "scheduling/search_state/state.h"

namespace tenon::scheduling {

// kSize: by CPU, then by memory. parity: karpenter queue.go. kMemory: by memory, then by CPU. kShare: by the largest
// share of any resource, of the most that a new node has free, that the pod requests.
enum class PodOrder { kSize, kPriorityThenSize, kMemory, kShare };

// Returns all pods that can be planned, the largest first; those of a class together, and virtual pods of buffers last.
std::vector<size_t> pods_in_order(const Problem& problem, PodOrder order);

// The order in which open nodes are tried. kFewestPods: as Karpenter does. kOldest: in the order of their opening.
// If pods are left behind, those of spreads by domain come first in further attempts, at most this many.
inline constexpr int kRetriesOfSpreads = 3;
// Returns true if the pod has a spread by another key than hostname, when all its preferences are relaxed.
bool spread_by_domain(const Problem& problem, size_t pod);

enum class OpenOrder { kFewestPods, kOldest };

// Which bins accept pods, and when to stop. Borrowed by a FirstFit.
struct Terms {
  // By class: the existing nodes to try. Null: all of them.
  const std::vector<RowSet>* nodes = nullptr;
  RowSet closed;                              // existing nodes that accept no pods
  size_t first_new = 0;                       // open nodes before this bin accept no pods
  size_t most_new = static_cast<size_t>(-1);  // the most nodes to open
  std::optional<model::Price> total_below;    // opens one only if those before cost less, with node_price for each
  bool all = false;                           // stop at the first pod that is surely unschedulable
};

class FirstFit {
 public:
  explicit FirstFit(State& state, OpenOrder order = OpenOrder::kFewestPods);
  FirstFit(State& state, const Terms& terms);
  // Tries until a whole round places nothing more; returns the unschedulable pods.
  std::vector<size_t> place(std::vector<size_t> pods);
  // Makes place() return soon after so many steps. Pods that it has not tried are then among those that it returns.
  void stop_after(int64_t steps) { most_steps_ = steps; }
  int64_t steps() const { return steps_; }

 private:
  // Pods of one class, in one form.
  struct Run {
    Ask ask;
    std::span<const size_t> left;
    RowSet never;  // bins that never accept them
    RowSet never_pools;
    bool later = false;  // some bin may accept them later
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
  size_t first_new_ = 0;  // the first bin of new nodes to try
  Fit fit_;
  std::vector<std::vector<std::vector<size_t>>> open_;  // open bins by pool and number of pods
  std::vector<size_t> at_;                              // of a bin from first_new_ on, in its list
  int64_t steps_ = 0, most_steps_ = std::numeric_limits<int64_t>::max();
  int restarts_ = 0;  // of pass_oldest()
};

}  // namespace tenon::scheduling
