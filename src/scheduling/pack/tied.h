// Tied: places pods whose placements depend on each other. First fit places pods one after the other by size and leaves
// some of them behind. There are two kinds:
//
// Units. Pods with required affinity to each other follow the first of them. If its node is too small, or its zone
// lacks offerings or room, the others do not fit. Tied chooses the domain of the first pod by how much of the whole
// unit it can hold.
//
// Turns. Some pods of a spread fit in few domains (because of volumes or selectors), others in many. Each pod of the
// second kind allows one more of the first kind. Tied places the pods with the fewest domains first, and tries them
// again after each other pod.
//
// Both cost more than first fit, so Tied places only pods that first fit left behind and the pods tied to them.
//
//   Tied tied(problem);
//   if (tied.add(left)) steps = tied.place(state);   // a State without pending pods; then first fit for the others
//
// Borrows the problem; not thread-safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "scheduling/search_state/state.h"

namespace tenon::scheduling {

class Tied {
 public:
  explicit Tied(const Problem& problem) : problem_(problem) {}
  // Adds pods that were left behind. If one belongs to a known unit, that unit comes earlier from now on. Returns false
  // if nothing changes and no further pod is tied to others.
  bool add(std::span<const size_t> left);
  // Places the added pods and all pods that are tied to them, as far as they fit. Returns the steps done.
  int64_t place(State& state) const;

 private:
  using Classes = std::vector<size_t>;
  Classes tied_by(GroupKind kind, size_t pod_class) const;

  const Problem& problem_;
  std::vector<Classes> units_, turns_;
  std::vector<char> late_;      // by unit: it was placed as a unit, but left pods behind
  RowSet in_units_, in_turns_;  // classes
};

}  // namespace tenon::scheduling
