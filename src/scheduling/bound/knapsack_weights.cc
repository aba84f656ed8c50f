// Surrogate weights for a knapsack with several resources.
//
// The problem: if pods fit by every resource, they also fit by any weighted mean of the resources, each as a share of
// the node. So every mix gives a knapsack with one weight, whose fractional optimum is an upper bound. Which mix gives
// the lowest one (the surrogate dual)?
//
// The method: each resource alone, then each pair of the best three. For a pair, the share of one resource is bisected.
// If the fractional optimum of a mix needs more of this resource than of the other one, a smaller share only makes it
// fit better, so that the bound is no lower there: the larger shares remain. A pair ends early if no share that remains
// can lower the bound by more than kAsGood.
//
// The fractional optimum needs no full sort: the piece that is cut is found by selection (first_that_is_cut()).
//
// Cost: pieces × resources for the weights, and pieces for each mix; up to 9 mixes for each pair.
// SPDX-License-Identifier: Apache-2.0
#include "scheduling/bound/knapsack_weights.h"

#include <algorithm>
#include <functional>

#include "base/check.h"

namespace tenon::scheduling {
namespace {

using Wide = __int128;

constexpr int kClosest = kParts / 512;  // the bisection of shares ends at this difference
constexpr double kAsGood = 0.9999;      // a mix that cannot lower the bound below this part of it is not tried

}  // namespace

Scales::Scales(std::vector<Piece>& pieces, const std::vector<Demand>& demands, const Kind& kind)
    : pieces_(pieces), parts_(kind.free.size()) {
  for (size_t r = 0; r < parts_.size(); ++r) {
    for (const Piece& piece : pieces) {
      const Wide requests = demands[piece.demand].requests[r];
      parts_[r].push_back(kind.free[r] > 0 ? static_cast<int64_t>(kUnit * requests / kind.free[r]) : 0);
    }
  }
}

void Scales::weigh(const Mix& mix) {
  const std::vector<int64_t>&one = parts_[mix.one], &other = parts_[mix.other];
  for (size_t i = 0; i < pieces_.size(); ++i)
    pieces_[i].weight = (one[i] * mix.share + other[i] * (kParts - mix.share)) / kParts;
}

int64_t Scales::bound(const Mix& mix, double& leans) {
  weigh(mix);
  leans = 0;
  order_.clear();
  for (size_t i = 0; i < pieces_.size(); ++i) {
    const Piece& piece = pieces_[i];
    if (piece.reduced <= 0) continue;
    order_.emplace_back(static_cast<double>(piece.reduced) / std::max(static_cast<double>(piece.weight), 1e-3), i);
  }
  const size_t cut = first_that_is_cut();
  for (size_t k = 0; k < cut; ++k)
    leans += lean(mix, order_[k].second) * static_cast<double>(pieces_[order_[k].second].most);
  if (cut == order_.size()) {
    int64_t all = 0;
    for (const auto& [density, i] : order_) all += pieces_[i].reduced * pieces_[i].most;
    return all;
  }
  const Piece& last = pieces_[order_[cut].second];
  leans += lean(mix, order_[cut].second) * static_cast<double>(room_) / static_cast<double>(last.weight);
  return at_the_price_of(last);
}

// Returns how many of the densest pieces fit whole. Puts them first in order_, followed by the piece that is cut, and
// sets room_ to the room that they leave.
size_t Scales::first_that_is_cut() {
  size_t low = 0, high = order_.size();  // those before `low` fit, those up to `high` do not
  room_ = kUnit;
  const auto from = [&](size_t k) { return order_.begin() + static_cast<ptrdiff_t>(k); };
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    std::nth_element(from(low), from(middle), from(high), std::greater<>());
    Wide weight = 0;
    for (size_t k = low; k <= middle; ++k)
      weight += Wide{pieces_[order_[k].second].weight} * pieces_[order_[k].second].most;
    if (weight > room_) {
      high = middle;
    } else {
      room_ -= static_cast<int64_t>(weight);
      low = middle + 1;
    }
  }
  return low;
}

// Returns the bound at the price of a unit of weight that equals the density of `last`. The bound holds at any price,
// and is lowest at the density of the piece that is cut.
int64_t Scales::at_the_price_of(const Piece& last) const {
  Wide sum = Wide{last.reduced} * kUnit;
  for (const Piece& piece : pieces_) {
    if (piece.reduced <= 0) continue;
    const Wide gain = Wide{piece.reduced} * last.weight - Wide{last.reduced} * piece.weight;
    if (gain > 0) sum += gain * piece.most;
  }
  return static_cast<int64_t>((sum + last.weight - 1) / last.weight);
}

int64_t weigh_best(Scales& scales, int64_t enough) {
  double leans = 0;
  std::vector<std::pair<int64_t, size_t>> alone;
  for (size_t r = 0; r < scales.resources(); ++r) {
    alone.emplace_back(scales.bound({r, r}, leans), r);
    if (alone.back().first <= enough) return alone.back().first;
  }
  CHECK(!alone.empty(), "no resources");
  std::sort(alone.begin(), alone.end());
  if (alone.size() > 3) alone.resize(3);
  Mix best{alone.front().second, alone.front().second};
  int64_t least = alone.front().first;
  for (size_t a = 0; a < alone.size(); ++a) {
    for (size_t b = a + 1; b < alone.size(); ++b) {
      for (int low = 0, high = kParts; high - low > kClosest;) {
        const Mix mix{alone[a].second, alone[b].second, low + (high - low) / 2};
        const int64_t bound = scales.bound(mix, leans);
        if (bound <= enough) return bound;
        if (bound < least) {
          least = bound;
          best = mix;
        }
        // This part of the filling fits at every share that is left, so no bound there is lower than its value.
        const double parts = leans > 0 ? kParts - mix.share : -mix.share;
        const double fits = 1 / (1 + leans / static_cast<double>(kUnit) * parts / kParts);
        if (static_cast<double>(bound) * fits >= static_cast<double>(least) * kAsGood) break;
        (leans > 0 ? low : high) = mix.share;
      }
    }
  }
  scales.weigh(best);
  return least;
}

}  // namespace tenon::scheduling
