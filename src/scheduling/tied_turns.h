// The turns of tied.h: places pods whose spreads count each other.
//
// Borrows the state; not thread-safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "scheduling/tied_start.h"

namespace tenon::scheduling {

class Turns {
 public:
  explicit Turns(State& state) : state_(state), problem_(state.problem()) {}
  // By class, those with the fewest domains to choose from first.
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
