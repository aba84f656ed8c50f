// A bounded knapsack with several resources: the pricing problem of column generation (lower_bound.cc).
//
// The problem: a node has some room of each resource; each demand has a request vector, a value and a number of pods.
// Which whole pods have the highest total value? Demands of one group share places: a rule by hostname lets the node
// hold so many of their pods together. The proof of the lower bound needs no filling, but a value that no filling
// exceeds.
//
// The method is branch and bound over the counts of the pieces (demands), the densest first. The bounds are
// relaxations:
// - One weight for each pod in place of its resources (knapsack_weights.h), and pods that can be cut: Dantzig's
//   fractional knapsack.
// - For each resource alone, what is left of it times the best value for a unit among the pieces to come.
// - Places of a group are priced (a Lagrangian relaxation): a pod counts its value minus the price of its place, and
//   all places count in full. This is a bound at any prices of at least 0.
//
// Example: a node has room (12, 12). Pods a = (3, 1) and b = (1, 3) have the value 4 each. By the first resource alone
// the bound is 26.7: four b (as many as fit alone) and 8/3 of a. The second gives the same. In a mix of both halves
// each pod weighs 1/6, so the bound is 6 pods, or 24, which three a and three b reach.
//
// A branch ends if its bound is no more than `enough`, or than 1 + 1/kGoodEnough of the best value. The highest bound
// of an ended branch is `at_most`, which also holds if the steps end first.
//
// Cost: a step takes the pieces and resources once. The number of steps is exponential in the pieces, so it is limited.
// SPDX-License-Identifier: Apache-2.0
#include "scheduling/bound/knapsack.h"

#include <algorithm>
#include <cmath>

#include "scheduling/bound/knapsack_weights.h"

namespace tenon::scheduling {
namespace {

using Wide = __int128;

constexpr int64_t kGoodEnough = 2048;  // the search may miss one part in so many of the value
constexpr int kPriceSearchSteps = 24;

struct Places {
  int rule = kNone;
  int64_t most = 0, price = 0;  // the bound holds at any price
};

std::vector<Piece> pieces_of(const std::vector<Demand>& demands, const Kind& kind, const std::vector<int64_t>& values) {
  std::vector<Piece> pieces;
  for (size_t i = 0; i < demands.size(); ++i) {
    const int64_t most = most_of(demands, i, kind);
    if (most > 0 && values[i] > 0) pieces.push_back({i, values[i], 0, most, values[i]});
  }
  return pieces;
}

// Lists the groups of the pieces with their places on the node, and sets the pieces' groups.
std::vector<Places> places_of(const std::vector<Demand>& demands, const Kind& kind, std::vector<Piece>& pieces) {
  std::vector<Places> all;
  for (Piece& piece : pieces) {
    const Demand& demand = demands[piece.demand];
    if (demand.group == kNone) continue;
    const auto same = [&](const Places& places) { return places.rule == demand.group; };
    piece.group = static_cast<size_t>(std::find_if(all.begin(), all.end(), same) - all.begin());
    if (piece.group == all.size()) all.push_back({demand.group, demand.together * kind.hosts});
  }
  return all;
}

int64_t worth(const std::vector<Places>& groups) {
  int64_t sum = 0;
  for (const Places& places : groups) sum += places.price * places.most;
  return sum;
}

// Prices the groups' places so that the bound with the pieces' weights is low: at the price of a unit of weight that
// minimizes the value of the node. That value is convex in the price, so a ternary search finds its minimum.
void price_places(std::vector<Piece>& pieces, std::vector<Places>& groups) {
  std::vector<double> best(groups.size());
  const auto dual_value = [&](double unit) {
    double sum = unit * static_cast<double>(kUnit);
    std::fill(best.begin(), best.end(), 0.0);
    for (const Piece& piece : pieces) {
      const double gain = static_cast<double>(piece.value) - unit * static_cast<double>(piece.weight);
      if (gain <= 0) continue;
      if (piece.group == kAlone) {
        sum += gain * static_cast<double>(piece.most);
      } else {
        best[piece.group] = std::max(best[piece.group], gain);
      }
    }
    for (size_t g = 0; g < groups.size(); ++g) sum += best[g] * static_cast<double>(groups[g].most);
    return sum;
  };
  double low = 0, high = 0;
  for (const Piece& piece : pieces) {
    if (piece.weight > 0) high = std::max(high, static_cast<double>(piece.value) / static_cast<double>(piece.weight));
  }
  for (int i = 0; i < kPriceSearchSteps; ++i) {
    const double left = low + (high - low) / 3, right = high - (high - low) / 3;
    if (dual_value(left) <= dual_value(right)) {
      high = right;
    } else {
      low = left;
    }
  }
  dual_value((low + high) / 2);
  for (size_t g = 0; g < groups.size(); ++g) groups[g].price = static_cast<int64_t>(best[g]);
  for (Piece& piece : pieces) {
    if (piece.group != kAlone) piece.reduced = piece.value - groups[piece.group].price;
  }
}

// Sorts by value for weight, the highest first; pieces without reduced value come last.
void sort_by_density(std::vector<Piece>& pieces) {
  std::sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) {
    if ((a.reduced > 0) != (b.reduced > 0)) return a.reduced > 0;
    if (a.reduced <= 0) return a.demand < b.demand;
    const Wide left = Wide{a.reduced} * b.weight, right = Wide{b.reduced} * a.weight;
    return left != right ? left > right : a.demand < b.demand;
  });
}

// Returns the most that the pieces from `first` on are worth in so much room, if they can be cut.
int64_t fractional(const std::vector<Piece>& pieces, size_t first, int64_t room) {
  int64_t value = 0;
  for (size_t i = first; i < pieces.size(); ++i) {
    const Piece& piece = pieces[i];
    if (piece.reduced <= 0) break;
    if (Wide{piece.weight} * piece.most <= room) {
      value += piece.reduced * piece.most;
      room -= piece.weight * piece.most;
      continue;
    }
    return value + static_cast<int64_t>((Wide{piece.reduced} * room + piece.weight - 1) / piece.weight);
  }
  return value;
}

class Search {
 public:
  Search(const std::vector<Demand>& demands, const Kind& kind, const std::vector<Piece>& pieces,
         const std::vector<Places>& groups, int64_t enough, int64_t most_steps)
      : demands_(demands),
        pieces_(pieces),
        groups_(groups),
        enough_(enough),
        most_steps_(most_steps),
        free_(kind.free),
        counts_(demands.size(), 0) {
    best_.counts.assign(demands.size(), 0);
    list_densest();
  }

  Filling run() {
    descend(0, 0, kUnit);
    best_.at_most = std::max(best_.at_most, best_.value);
    return std::move(best_);
  }

 private:
  struct Dense {
    const Piece* piece = nullptr;
    double value_of_unit = 0;  // about
  };

  void descend(size_t at, int64_t value, int64_t room) {
    ++best_.steps;
    if (value > best_.value) {
      best_.value = value;
      best_.counts = counts_;
    }
    const int64_t bound = value + worth(groups_) + std::min(fractional(pieces_, at, room), by_one_resource(at));
    if (bound <= std::max(enough_, best_.value + best_.value / kGoodEnough) || best_.steps >= most_steps_) {
      best_.at_most = std::max(best_.at_most, bound);
      return;
    }
    if (at == pieces_.size()) return;
    const Piece& piece = pieces_[at];
    const Amounts& requests = demands_[piece.demand].requests;
    int64_t count = piece.most;
    for (size_t r = 0; r < requests.size(); ++r) {
      if (requests[r] > 0) count = std::min(count, free_[r] / requests[r]);
    }
    if (piece.group != kAlone) count = std::min(count, groups_[piece.group].most);
    take(piece, count);
    for (;; --count) {
      descend(at + 1, value + count * piece.value, room - count * piece.weight);
      if (count == 0) return;
      take(piece, -1);
    }
  }

  // Lists, for each position and resource, the piece from there on with the highest value for a unit; none if one of
  // these pieces needs no unit of it.
  void list_densest() {
    const size_t resources = free_.size();
    while (worth_it_ < pieces_.size() && pieces_[worth_it_].reduced > 0) ++worth_it_;
    densest_.assign((worth_it_ + 1) * resources, {});
    for (size_t at = worth_it_; at-- > 0;) {
      for (size_t r = 0; r < resources; ++r) {
        const Piece* next = densest_[(at + 1) * resources + r].piece;
        const auto units = [&](const Piece& piece) { return demands_[piece.demand].requests[r]; };
        const bool last = at + 1 == worth_it_;
        if (units(pieces_[at]) == 0 || (next == nullptr && !last)) continue;
        const bool denser = last || Wide{pieces_[at].reduced} * units(*next) > Wide{next->reduced} * units(pieces_[at]);
        const Piece* piece = denser ? &pieces_[at] : next;
        densest_[at * resources + r] = {piece,
                                        static_cast<double>(piece->reduced) / static_cast<double>(units(*piece))};
      }
    }
  }

  // Returns the most that the pieces from `at` on are worth in what is left of one resource: the lowest such bound.
  int64_t by_one_resource(size_t at) const {
    if (at >= worth_it_) return 0;
    const Piece* least = nullptr;
    size_t scarcest = 0;
    double about = INFINITY;  // the resource with the lowest bound, which is then divided exactly
    for (size_t r = 0; r < free_.size(); ++r) {
      const Dense& densest = densest_[at * free_.size() + r];
      if (densest.piece == nullptr || densest.value_of_unit * static_cast<double>(free_[r]) >= about) continue;
      about = densest.value_of_unit * static_cast<double>(free_[r]);
      least = densest.piece;
      scarcest = r;
    }
    if (least == nullptr) return INT64_MAX;
    const Wide worth = Wide{least->reduced} * free_[scarcest] / demands_[least->demand].requests[scarcest];
    return static_cast<int64_t>(std::min<Wide>(INT64_MAX, worth));
  }

  void take(const Piece& piece, int64_t count) {
    counts_[piece.demand] += count;
    for (size_t r = 0; r < free_.size(); ++r) free_[r] -= count * demands_[piece.demand].requests[r];
    if (piece.group != kAlone) groups_[piece.group].most -= count;
  }

  const std::vector<Demand>& demands_;
  const std::vector<Piece>& pieces_;
  std::vector<Places> groups_;  // what is left of them
  const int64_t enough_, most_steps_;
  size_t worth_it_ = 0;         // number of pieces with reduced value: they come first
  std::vector<Dense> densest_;  // by piece and resource
  Amounts free_;
  std::vector<int64_t> counts_;
  Filling best_;
};

}  // namespace

int64_t most_of(const std::vector<Demand>& demands, size_t demand, const Kind& kind) {
  const Demand& asked = demands[demand];
  int64_t most = std::min(kind.caps[demand], asked.count);
  for (size_t r = 0; r < kind.free.size() && most > 0; ++r) {
    if (asked.requests[r] > 0) most = std::min(most, std::max<int64_t>(kind.free[r], 0) / asked.requests[r]);
  }
  return most;
}

Filling best_filling(const std::vector<Demand>& demands, const Kind& kind, const std::vector<int64_t>& values,
                     int64_t enough, int64_t most_steps) {
  std::vector<Piece> pieces = pieces_of(demands, kind, values);
  if (pieces.empty()) return {.counts = std::vector<int64_t>(demands.size(), 0)};
  std::vector<Places> groups = places_of(demands, kind, pieces);
  Scales scales(pieces, demands, kind);
  int64_t bound = weigh_best(scales, enough);
  if (bound > enough && !groups.empty()) {
    price_places(pieces, groups);
    bound = worth(groups) + weigh_best(scales, enough - worth(groups));
  }
  if (bound <= enough) return {.counts = std::vector<int64_t>(demands.size(), 0), .at_most = bound, .steps = 1};
  sort_by_density(pieces);
  return Search(demands, kind, pieces, groups, enough, most_steps).run();
}

}  // namespace tenon::scheduling
