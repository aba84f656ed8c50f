// Pods whose places depend on each other, so that one after the other in order of size leaves some behind. Two kinds:
//
// Units. Pods with required affinity to each other stand where the first of them stands: on a node that is too small,
// or in a zone without offerings or room, the rest finds no place. The domain of the first pod is chosen by what it can
// hold of all of them.
//
// Turns. Of the pods of a spread, some can be in few domains only (by their volumes or selectors), others in many. The
// latter make room for the former, one at a time, and so they are placed: the pods with the fewest domains first, and
// again after each pod that has more of them.
//
// Both cost more than first fit, so only pods that it left behind, and those tied to them, are placed so.
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
