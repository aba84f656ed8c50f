// Greedy packing with sequential value correction, for any number of kinds.
//
// A round is the greedy heuristic for set covering: it fills node after node, each time the node with the lowest price
// per value of its pods, and repeats this node as often as the counts allow. Only the kColumnsTried columns with the
// best bound are filled; a node's value is at most the value of all remaining pods, and at most its room of one
// resource times the highest value per unit of that resource.
//
// Greedy packings leave pods that pack badly for the last, poor nodes. After each round, the price of each node is
// split among its pods by value, and each kind's value moves by kPull towards the mean price of its pods, so that the
// next round places such pods earlier. Example: a kind has value 0.05; its pods ended in a node for 0.40 USD/h whose
// pods are worth 0.25. Each pod's part is 0.08, and the value becomes 0.05 + 0.3 × 0.03 = 0.059. The cheapest round is
// returned.
//
// Cost of a round: for each distinct node, columns × resources and at most kColumnsTried fillings (pack_fill.cc).
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <climits>
#include <limits>
#include <numeric>

#include "scheduling/pack/pack.h"

namespace tenon::scheduling {
namespace {

constexpr size_t kColumnsTried = 12;  // per node: those with the best bound of price per value
constexpr double kPull = 0.3;         // part of the difference by which values follow the price that a round paid

class Greedy {
 public:
  Greedy(const Packing& packing, const Counts& counts, Budget& budget, std::vector<double> values)
      : packing_(packing), counts_(counts), budget_(budget), filler_(packing, counts), values_(std::move(values)) {
    if (!values_.empty()) return;
    for (const Content& content : counts_) values_.push_back(packing.kinds()[content.kind].value);
  }
  // Packs all pods once; returns false if the budget ends or some pod fits no column.
  bool round();
  void correct_values();
  std::vector<Pack> packs;

 private:
  void rank_columns(double total);

  const Packing& packing_;
  const Counts& counts_;
  Budget& budget_;
  Filler filler_;
  std::vector<double> values_;
  std::vector<int> left_;
  std::vector<double> most_;                       // by column: an upper bound of the value of one node
  std::vector<std::pair<double, size_t>> ranked_;  // (lower bound of price per value, column), the lowest first
};

// Ranks the columns by price per upper bound of value. A node is worth at most the value of all remaining pods, and at
// most its room of one resource filled with the pods of the highest value per unit of it.
void Greedy::rank_columns(double total) {
  const size_t resources = packing_.problem().resources.size();
  std::vector<double> worth(resources);
  for (size_t i = 0; i < counts_.size(); ++i) {
    if (left_[i] == 0) continue;
    const Amounts& size = *packing_.kinds()[counts_[i].kind].size;
    for (size_t r = 0; r < resources; ++r) {
      const double each = size[r] > 0 ? values_[i] / static_cast<double>(size[r]) : kInfinite;
      worth[r] = std::max(worth[r], each);
    }
  }
  const std::vector<Column>& columns = packing_.columns();
  most_.assign(columns.size(), total);
  for (size_t r = 0; r < resources; ++r) {
    const std::vector<double>& room = packing_.room(r);
    for (size_t c = 0; c < columns.size(); ++c) most_[c] = std::min(most_[c], room[c] * worth[r]);
  }
  budget_.spend(static_cast<int64_t>(counts_.size() + columns.size() / 4));
  ranked_.clear();
  for (size_t c = 0; c < columns.size(); ++c) {
    const std::pair<double, size_t> next{static_cast<double>(columns[c].price) / most_[c], c};
    if (ranked_.size() == kColumnsTried) {
      if (next > ranked_.back()) continue;
      ranked_.pop_back();
    }
    ranked_.insert(std::upper_bound(ranked_.begin(), ranked_.end(), next), next);
  }
}

bool Greedy::round() {
  packs.clear();
  left_.clear();
  double total = 0;
  for (size_t i = 0; i < counts_.size(); ++i) {
    left_.push_back(counts_[i].count);
    total += values_[i] * counts_[i].count;
  }
  double best_value = 0;
  std::vector<int> best;
  for (int64_t pods = std::accumulate(left_.begin(), left_.end(), int64_t{0}); pods > 0;) {
    double best_ratio = kInfinite;
    size_t best_column = 0;
    rank_columns(total);
    for (const auto& [at_best, c] : ranked_) {
      if (at_best >= best_ratio) break;
      const auto price = static_cast<double>(packing_.columns()[c].price);
      filler_.fill(packing_.columns()[c], left_, values_, budget_);
      if (filler_.value <= 0 || price / filler_.value >= best_ratio) continue;
      best_ratio = price / filler_.value;
      best_column = c;
      best_value = filler_.value;
      std::swap(best, filler_.pods);
    }
    if (budget_.spent() || best_ratio == kInfinite) return false;
    int times = INT_MAX;
    for (size_t i = 0; i < counts_.size(); ++i) {
      if (best[i] > 0) times = std::min(times, left_[i] / best[i]);
    }
    for (size_t i = 0; i < counts_.size(); ++i) {
      left_[i] -= times * best[i];
      pods -= int64_t{times} * best[i];
    }
    total -= best_value * times;
    packs.insert(packs.end(), static_cast<size_t>(times), Pack{best_column, contents_of(counts_, best)});
  }
  return true;
}

void Greedy::correct_values() {
  std::vector<double> paid(packing_.kinds().size(), 0), value_of(packing_.kinds().size(), 0);
  for (size_t i = 0; i < counts_.size(); ++i) value_of[counts_[i].kind] = values_[i];
  for (const Pack& pack : packs) {
    double value = 0;
    for (const Content& c : pack.contents) value += value_of[c.kind] * c.count;
    const double ratio = static_cast<double>(packing_.columns()[pack.column].price) / value;
    for (const Content& c : pack.contents) paid[c.kind] += ratio * value_of[c.kind] * c.count;
  }
  for (size_t i = 0; i < counts_.size(); ++i) {
    const double each = paid[counts_[i].kind] / counts_[i].count;
    values_[i] += kPull * (each - values_[i]);
  }
}

}  // namespace

Cost cost_of(const Packing& packing, std::span<const Pack> packs) {
  Cost cost{0, packs.size()};
  for (const Pack& pack : packs) cost.price += packing.columns()[pack.column].price;
  return cost;
}

std::optional<std::vector<Pack>> pack_greedily(const Packing& packing, const Counts& counts, int rounds, Budget& budget,
                                               std::vector<double> values) {
  Greedy greedy(packing, counts, budget, std::move(values));
  std::optional<std::vector<Pack>> best;
  for (int round = 0; round < rounds && greedy.round(); ++round) {
    if (!best || cost_of(packing, greedy.packs) < cost_of(packing, *best)) best = greedy.packs;
    greedy.correct_values();
  }
  return best;
}

}  // namespace tenon::scheduling
