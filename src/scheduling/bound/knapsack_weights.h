// Replaces the resources of pods by one weight for each pod, so that the value of a node's filling can be bounded as a
// knapsack with one dimension (a surrogate relaxation; the theory is in knapsack_weights.cc). Not thread-safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "scheduling/bound/relaxation.h"

namespace tenon::scheduling {

constexpr int64_t kUnit = int64_t{1} << 40;  // a node's whole room, in which weights are counted
constexpr size_t kAlone = SIZE_MAX;

// Pods of one demand that the node may hold. `reduced` is the value of a pod minus the price of the place in its group
// that it takes. A bound counts `reduced` for each pod, and adds the price of all places of the group.
struct Piece {
  size_t demand = 0;
  int64_t value = 0, weight = 0, most = 0;
  int64_t reduced = 0;
  size_t group = kAlone;  // index into the node's groups
};
constexpr int kParts = 1024;
// The parts of two resources in a weight: `share` of kParts for `one`, the rest for `other`.
struct Mix {
  size_t one = 0, other = 0;
  int share = kParts;
};

// Computes the weights of pieces by a mix, and the upper bound of the node's value by these weights if pieces could be
// cut. Weights are rounded down, so that pods that fit by resources also fit by weight.
class Scales {
 public:
  // `pieces`: must outlive it; their weights are written.
  Scales(std::vector<Piece>& pieces, const std::vector<Demand>& demands, const Kind& kind);

  size_t resources() const { return parts_.size(); }
  void weigh(const Mix& mix);
  // Returns the bound by this mix and sets `leans`. Above 0: the filling with this value needs more of `one` than of
  // `other`. It also fits at any smaller share of `one`, so the bound is no lower there. Below 0: the reverse.
  int64_t bound(const Mix& mix, double& leans);

 private:
  size_t first_that_is_cut();
  int64_t at_the_price_of(const Piece& last) const;
  double lean(const Mix& mix, size_t i) const { return static_cast<double>(parts_[mix.one][i] - parts_[mix.other][i]); }

  std::vector<Piece>& pieces_;
  std::vector<std::vector<int64_t>> parts_;       // by resource and piece: of kUnit
  std::vector<std::pair<double, size_t>> order_;  // (value for weight, piece)
  int64_t room_ = 0;
};

// Weighs the pieces by the mix with the lowest bound, and returns this bound. Tries single resources, then mixes of two
// of the best three. Stops at the first bound that is no more than `enough`.
int64_t weigh_best(Scales& scales, int64_t enough);

}  // namespace tenon::scheduling
