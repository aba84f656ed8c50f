// Few kinds of pods: the cheapest mix of nodes is a linear programme whose columns are nodes with what is in them. They
// are made as they are needed: a node whose pods are worth more, at the programme's own prices, than it costs.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>

#include "lp/lp.h"
#include "scheduling/pack.h"

namespace tenon::scheduling {
namespace {

constexpr size_t kMostKinds = 64;
constexpr int kMostRounds = 400;  // of new columns, for one programme
constexpr int kColumnsAtOnce = 6;
constexpr double kWorthIt = 1e-3;  // by so much a node's pods must be worth more than it costs
constexpr int64_t kLpPerStep = 4;  // entries of the programme that are worked through in one step
constexpr double kWhole = 1e-6;
constexpr double kRoundUp = 0.75;  // a level above that buys one node more
constexpr int kRoundsAtEnd = 4;    // of filling by value

class Programme {
 public:
  Programme(const Packing& packing, const Counts& counts, Budget& budget)
      : packing_(packing),
        counts_(counts),
        budget_(budget),
        filler_(packing, counts),
        lp_(demand(counts)),
        reserve_(budget.left / 3) {
    for (const Content& content : counts) left_.push_back(content.count);
  }
  std::optional<std::vector<Pack>> run();

 private:
  struct Pattern {
    size_t column;
    std::vector<int> pods;  // by position in counts
  };
  static std::vector<double> demand(const Counts& counts) {
    std::vector<double> rows;
    for (const Content& content : counts) rows.push_back(content.count);
    return rows;
  }
  bool start();
  bool optimise();
  bool grow();
  void add(size_t column, const std::vector<int>& pods);
  bool buy_whole_parts();
  bool buy_largest_part();
  void buy(const Pattern& pattern, int times);
  bool finish_by_value();

  const Packing& packing_;
  const Counts& counts_;
  Budget& budget_;
  Filler filler_;
  lp::Lp lp_;
  int64_t reserve_;  // of the budget, for what comes after the programme
  std::vector<int> left_;
  size_t next_column_ = 0;  // that is looked at
  std::vector<Pattern> patterns_;
  lp::Optimum optimum_;
  std::vector<Pack> packs_;
};

void Programme::add(size_t column, const std::vector<int>& pods) {
  lp::Column entry{.cost = static_cast<double>(packing_.columns()[column].price), .entries = {}};
  for (size_t i = 0; i < pods.size(); ++i) {
    if (pods[i] > 0) entry.entries.emplace_back(static_cast<int>(i), pods[i]);
  }
  lp_.add(entry);
  patterns_.push_back({column, pods});
}

// For each kind, the node that is cheapest for it alone.
bool Programme::start() {
  for (size_t i = 0; i < counts_.size(); ++i) {
    std::vector<double> values(counts_.size(), 0);
    values[i] = 1;
    double best = 0;
    size_t best_column = packing_.columns().size();
    std::vector<int> best_pods;
    for (size_t c = 0; c < packing_.columns().size(); ++c) {
      if (!packing_.allowed(packing_.columns()[c], packing_.kinds()[counts_[i].kind])) continue;
      filler_.fill_best(packing_.columns()[c], left_, values, false, budget_);
      const double each = filler_.value / static_cast<double>(packing_.columns()[c].price);
      if (each <= best) continue;
      best = each;
      best_column = c;
      best_pods = filler_.pods;
    }
    if (best_column == packing_.columns().size()) return false;
    add(best_column, best_pods);
  }
  return true;
}

// The next few nodes that are worth it, so that the programme's prices soon are better ones. Only when a quick look
// finds none, each node is looked at closely.
bool Programme::grow() {
  std::vector<double> values;
  for (const double dual : optimum_.duals) values.push_back(std::max(0.0, dual));
  int grown = 0;
  for (const bool closely : {false, true}) {
    for (size_t tried = 0; tried < packing_.columns().size() && grown < kColumnsAtOnce; ++tried) {
      next_column_ = (next_column_ + 1) % packing_.columns().size();
      const Column& column = packing_.columns()[next_column_];
      filler_.fill_best(column, left_, values, closely, budget_);
      if (filler_.value <= static_cast<double>(column.price) * (1 + kWorthIt)) continue;
      add(next_column_, filler_.pods);
      ++grown;
    }
    if (grown > 0 || budget_.left < reserve_) break;
  }
  return grown > 0;
}

bool Programme::optimise() {
  for (int round = 0; round < kMostRounds; ++round) {
    auto optimum = lp_.solve();
    budget_.spend(static_cast<int64_t>(patterns_.size() * counts_.size()) / kLpPerStep);
    if (!optimum) return false;
    optimum_ = std::move(*optimum);
    if (budget_.left < reserve_ || !grow()) break;
  }
  return true;
}

void Programme::buy(const Pattern& pattern, int times) {
  Pack pack{pattern.column, {}};
  for (size_t i = 0; i < counts_.size(); ++i) {
    if (pattern.pods[i] > 0) pack.contents.push_back({counts_[i].kind, pattern.pods[i]});
    left_[i] -= times * pattern.pods[i];
  }
  packs_.insert(packs_.end(), static_cast<size_t>(times), pack);
}

// As often as there are pods for it, and no oftener than the programme says.
bool Programme::buy_whole_parts() {
  bool bought = false;
  for (size_t p = 0; p < patterns_.size() && p < optimum_.levels.size(); ++p) {
    int times = static_cast<int>(std::floor(optimum_.levels[p] + kWhole));
    for (size_t i = 0; i < counts_.size(); ++i) {
      if (patterns_[p].pods[i] > 0) times = std::min(times, left_[i] / patterns_[p].pods[i]);
    }
    if (times <= 0) continue;
    buy(patterns_[p], times);
    bought = true;
  }
  return bought;
}

bool Programme::buy_largest_part() {
  size_t best = patterns_.size();
  for (size_t p = 0; p < patterns_.size() && p < optimum_.levels.size(); ++p) {
    if (optimum_.levels[p] < kRoundUp) continue;
    if (best < patterns_.size() && optimum_.levels[p] <= optimum_.levels[best]) continue;
    const auto fits = [&](size_t i) { return patterns_[p].pods[i] <= left_[i]; };
    bool all = true;
    for (size_t i = 0; i < counts_.size(); ++i) all = all && fits(i);
    if (all) best = p;
  }
  if (best == patterns_.size()) return false;
  buy(patterns_[best], 1);
  return true;
}

bool Programme::finish_by_value() {
  Counts rest;
  std::vector<double> values;
  for (size_t i = 0; i < counts_.size(); ++i) {
    if (left_[i] == 0) continue;
    rest.push_back({counts_[i].kind, left_[i]});
    values.push_back(std::max(optimum_.duals[i], 1.0));
  }
  if (rest.empty()) return true;
  const auto by_dual = pack_greedily(packing_, rest, kRoundsAtEnd, budget_, std::move(values));
  const auto by_value = pack_greedily(packing_, rest, kRoundsAtEnd, budget_);
  const auto* best = by_dual ? &*by_dual : nullptr;
  if (by_value && (!best || cost_of(packing_, *by_value) < cost_of(packing_, *best))) best = &*by_value;
  if (best == nullptr) return false;
  packs_.insert(packs_.end(), best->begin(), best->end());
  return true;
}

std::optional<std::vector<Pack>> Programme::run() {
  if (counts_.size() > kMostKinds || !start()) return std::nullopt;
  while (std::any_of(left_.begin(), left_.end(), [](int left) { return left > 0; })) {
    if (!optimise()) return std::nullopt;
    if (!buy_whole_parts() && !buy_largest_part()) break;
    for (size_t i = 0; i < left_.size(); ++i) lp_.require(static_cast<int>(i), left_[i]);
  }
  if (!finish_by_value()) return std::nullopt;
  for (Pack& pack : packs_) {  // patterns are made in floating point: here every node is checked in integers
    pack.column = cheapest_column(packing_, pack.contents);
    if (pack.column == packing_.columns().size()) return std::nullopt;
  }
  return std::move(packs_);
}

}  // namespace

size_t cheapest_column(const Packing& packing, const std::vector<Content>& contents) {
  for (size_t c = 0; c < packing.columns().size(); ++c) {
    Load load(packing, packing.columns()[c]);
    const bool holds = std::all_of(contents.begin(), contents.end(), [&](const Content& content) {
      const PodKind& kind = packing.kinds()[content.kind];
      if (!packing.allowed(packing.columns()[c], kind) || load.room_for(kind) < content.count) return false;
      load.add(kind, content.count);
      return true;
    });
    if (holds) return c;
  }
  return packing.columns().size();
}

std::optional<std::vector<Pack>> pack_by_programme(const Packing& packing, const Counts& counts, Budget& budget) {
  return Programme(packing, counts, budget).run();
}

}  // namespace tenon::scheduling
