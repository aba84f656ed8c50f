// Turns of tied.h: places pods whose spreads count each other.
//
// A spread compares the fullest domain with the emptiest one. A class that fits in one zone only can place maxSkew pods
// and then waits until other pods fill the other zones. So one pod is placed at a time: always of the first class, in
// the order of open domains, that still fits; after each success it starts again with the first class. A pod with
// several domains is placed in the emptiest one, where it allows most further pods.
//
//   maxSkew 1; zones a, b, c; pods of class P fit in a only, those of Q anywhere: P→a, Q→b, Q→c, P→a, Q→b, …
//
// Borrows the state; not thread-safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "scheduling/pack/tied_start.h"

namespace tenon::scheduling {

class Turns {
 public:
  explicit Turns(State& state) : state_(state), problem_(state.problem()) {}
  // `left`: pods by class, the classes with the fewest domains first; `domains`: their number, by class.
  void place(std::vector<std::vector<size_t>> left, const std::vector<size_t>& domains);
  int64_t steps() const { return steps_; }

 private:
  bool put(size_t pod);
  bool put(Start start);

  State& state_;
  const Problem& problem_;
  Fit fit_;
  int64_t steps_ = 0;
};

}  // namespace tenon::scheduling
