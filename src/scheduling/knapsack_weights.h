// Weights of a node's pods in place of their resources: what bounds a filling where resources are many.
// Not thread-safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "scheduling/relaxation.h"

namespace tenon::scheduling {

constexpr int64_t kUnit = int64_t{1} << 40;  // a node's whole room, in which weights are counted
constexpr size_t kAlone = SIZE_MAX;

// `reduced` is what a pod is worth beyond the place that it takes of its group: at most that counts in a bound, which
// then counts all places of the group for themselves.
struct Piece {
  size_t demand = 0;
  int64_t value = 0, weight = 0, most = 0;
  int64_t reduced = 0;
  size_t group = kAlone;  // index into the node's groups
};
constexpr int kParts = 1024;
// How much of two resources counts: the one `share` parts of kParts, the other the rest.
struct Mix {
  size_t one = 0, other = 0;
  int share = kParts;
};

// The weights of pieces by a mix, and what the node is worth at most by them if pieces could be cut. Weights are
// rounded down: whatever fits by resources fits by weight.
class Scales {
 public:
  // `pieces`: must outlive it; their weights are written.
  Scales(std::vector<Piece>& pieces, const std::vector<Demand>& demands, const Kind& kind);

  size_t resources() const { return parts_.size(); }
  void weigh(const Mix& mix);
  // `leans` is then above 0 if the filling that is worth so much needs more of `one` than of `other`: a smaller share
  // of `one` lets it in again, so that the bound cannot be less there; and the other way round below 0.
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

// By the mix that bounds best: single resources, then mixes of two of the best three of them; or by the first that
// shows that no filling is worth more than `enough`. Returns that bound.
int64_t weigh_best(Scales& scales, int64_t enough);

}  // namespace tenon::scheduling
