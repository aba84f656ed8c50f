// A unit of tied.h: classes of pods that required affinity ties to each other, directly or through others.
//
//   Unit unit(state, classes, pods);
//   unit.place();
//
// Borrows the state and the classes; not thread-safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "scheduling/pack/tied_start.h"
#include "scheduling/search_state/objective.h"

namespace tenon::scheduling {

class Unit {
 public:
  // `pods`: the highest priority first, then the largest.
  Unit(State& state, const std::vector<size_t>& classes, std::vector<size_t> pods);
  void place();
  int64_t steps() const { return steps_; }

 private:
  struct Tried {
    Objective objective;
    const Start* start = nullptr;
    bool small_first = false;
  };
  std::vector<size_t> first_pods() const;
  std::vector<size_t> others_that_match(const std::vector<char>& groups) const;
  std::vector<size_t> bins_by_room() const;
  void list_starts(size_t pod, size_t form, const std::vector<size_t>& bins);
  bool add_start(Start start);
  void try_starts(std::optional<Tried>& best, bool small_first);
  void begin_with(const Start& start, bool small_first);
  std::vector<size_t> rest_of(const Start& start, bool small_first) const;
  void place_rest(std::vector<size_t> rest, size_t bin);
  Objective objective_since(size_t bins) const;

  State& state_;
  const Problem& problem_;
  const std::vector<size_t>& classes_;
  std::vector<size_t> pods_;
  bool by_host_ = false;
  std::vector<Start> starts_;
  int64_t steps_ = 0;
};

}  // namespace tenon::scheduling
