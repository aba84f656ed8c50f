// Tied: places pods whose places depend on each other. First fit places pods one after the other by size and leaves
// some of them behind. There are two kinds:
//
// Units. Pods with required affinity to each other follow the first of them. If its node is too small, or its zone
// lacks offerings or room, the others find no place. Tied chooses the domain of the first pod by how much of the whole
// unit it can hold.
//
// Turns. Some pods of a spread fit into few domains (because of volumes or selectors), others into many. Each free pod
// allows one more bound pod. Tied places the pods with the fewest domains first, and tries them again after each freer
// pod.
//
// Both cost more than first fit, so Tied places only pods that first fit left behind and the pods tied to them.
//
//   Tied tied(problem);
//   if (tied.add(left)) steps = tied.place(state);   // a State without pods; then first fit for the others
//
// Borrows the problem; not thread-safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "scheduling/state.h"

namespace tenon::scheduling {

class Tied {
 public:
  explicit Tied(const Problem& problem) : problem_(problem) {}
  // These pods found no place. Units that were known come earlier from now on. False if that changes nothing and no
  // other pod is tied to others.
  bool add(std::span<const size_t> left);
  // Places what was added with all that is tied to it, as far as it can; returns the steps done.
  int64_t place(State& state) const;

 private:
  using Classes = std::vector<size_t>;
  Classes tied_by(GroupKind kind, size_t pod_class) const;

  const Problem& problem_;
  std::vector<Classes> units_, turns_;
  std::vector<char> late_;      // by unit: some pods of it found no place although it was placed as a unit
  RowSet in_units_, in_turns_;  // classes
};

}  // namespace tenon::scheduling
