// Column generation and dives, for up to some hundred kinds (the caller limits them).
//
// The master programme has a row for each kind and a column for each pattern (a node with a filling):
//
//   min Σ price_p·x_p,   Σ pods_k,p·x_p ≥ count_k for each kind k     (Gilmore and Gomory, with bin prices)
//
// There are too many patterns to list, so they are generated: the duals of the rows are values of pods, and a filling
// that is worth more than its node costs (by kWorthIt) is a new column. The pricing problem is a knapsack, solved by
// heuristics (Filler::fill_best), so the optimum is no lower bound (lower_bound.h has one).
//
// Diving heuristic: it takes each pattern floor(x_p) times; if all are 0, it takes the pattern with the largest x_p
// once. Then it cuts the patterns to the remaining pods and solves again. The first dive is deterministic; later dives
// add chance to x_p. A dive ends when its nodes and the programme's value for the rest cost as much as the best plan.
//
// Example: 10 pods of 3 CPU, 10 of 2 CPU; nodes of 8 CPU for 1.00 and of 2 CPU for 0.30 USD/h. Patterns (2, 1) and
// (0, 4) on 8 CPU: x = 5 and 1.25, value 6.25. The dive takes 5 and 1 nodes; one pod of 2 CPU remains. A pattern cut to
// (0, 1) fits the node of 2 CPU: 6.30.
//
// Cost: each round solves the programme (patterns × kinds) and fills up to all columns (kinds × columns). About half of
// the budget is reserved for the dives, at most kMostDives of them.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_set>

#include "base/hash.h"
#include "base/prng.h"
#include "base/shared.h"
#include "lp/lp.h"
#include "scheduling/pack/pack.h"

namespace tenon::scheduling {
namespace {

constexpr int kMostRounds = 400;       // of column generation, for all pods
constexpr int kMostRoundsInDive = 12;  // of column generation, for the remaining pods
constexpr int kMostDives = 12;
constexpr int kColumnsAtOnce = 12;
constexpr double kWorthIt = 1e-3;  // part of its price by which a node's pods must be worth more
constexpr int64_t kLpPerStep = 4;  // entries of the programme that are counted as one step
constexpr double kWhole = 1e-6;
constexpr uint64_t kSteps = 1024;  // of a random number
constexpr double kShake = 0.5;     // the most that chance adds to a level, so that later dives take other patterns

// A node and its filling, by position in counts.
struct Pattern {
  size_t column = 0;
  Shared<std::vector<int>> pods;  // most patterns are in several lists
};

struct HashOfPods {
  size_t operator()(const std::vector<int>& pods) const {
    Hash hash;
    for (const int count : pods) hash.add(static_cast<size_t>(count));
    return hash.value();
  }
};

class Programme {
 public:
  Programme(const Packing& packing, const Counts& counts, Budget& budget)
      : packing_(packing), counts_(counts), budget_(budget), filler_(packing, counts), reserve_(budget.left / 2) {
    for (const Content& content : counts) all_.push_back(content.count);
  }
  std::optional<std::vector<Pack>> run(std::span<const Pack> known);

 private:
  bool start(std::span<const Pack> known);
  void load();
  bool optimise(int most_rounds, bool closely);
  bool grow(bool closely);
  void add(Pattern pattern);
  void dive(double shake);
  bool take_whole_parts();
  bool take_largest_part(double shake);
  void take(const Pattern& pattern, int times);
  double usd(size_t column) const { return static_cast<double>(packing_.columns()[column].price) / kPico; }
  int64_t paid() const { return cost_of(packing_, packs_).price; }
  bool done() const {
    return std::all_of(left_.begin(), left_.end(), [](int left) { return left == 0; });
  }

  const Packing& packing_;
  const Counts& counts_;
  Budget& budget_;
  Filler filler_;
  int64_t reserve_;         // of the budget, for the dives
  size_t next_column_ = 0;  // where the next pricing starts
  Prng prng_{1};
  std::vector<int> all_;       // pods, by position in counts
  std::vector<Pattern> pool_;  // all patterns that were generated
  // The programme for the remaining pods, all of them at first.
  std::vector<int> left_;
  std::optional<lp::Lp> lp_;
  std::vector<Pattern> patterns_;  // its columns: the pool, cut to the remaining pods
  lp::Optimum optimum_;
  std::vector<Pack> packs_;
  std::optional<std::vector<Pack>> best_;
};

void Programme::add(Pattern pattern) {
  lp::Column entry{.cost = usd(pattern.column), .entries = {}};
  const std::vector<int>& pods = *pattern.pods;
  for (size_t i = 0; i < pods.size(); ++i) {
    if (pods[i] > 0) entry.entries.emplace_back(static_cast<int>(i), pods[i]);
  }
  lp_->add(entry);
  patterns_.push_back(std::move(pattern));
}

// Makes the first patterns: for each kind the node with the lowest price per pod of that kind alone, then those in
// `known`. Returns false if a kind fits no column.
bool Programme::start(std::span<const Pack> known) {
  for (size_t i = 0; i < counts_.size(); ++i) {
    std::vector<double> values(counts_.size(), 0);
    values[i] = 1;
    double best = 0;
    Pattern pattern;
    for (size_t c = 0; c < packing_.columns().size(); ++c) {
      if (!packing_.allowed(packing_.columns()[c], packing_.kinds()[counts_[i].kind])) continue;
      filler_.fill_best(packing_.columns()[c], all_, values, false, kInfinite, budget_);
      const double each = filler_.value / usd(c);
      if (each <= best) continue;
      best = each;
      pattern = {c, Shared(filler_.pods)};
    }
    if (best == 0) return false;
    pool_.push_back(std::move(pattern));
  }
  std::vector<size_t> position(packing_.kinds().size(), counts_.size());
  for (size_t i = 0; i < counts_.size(); ++i) position[counts_[i].kind] = i;
  for (const Pack& pack : known) {
    std::vector<int> pods(counts_.size(), 0);
    for (const Content& content : pack.contents) pods[position[content.kind]] = content.count;
    pool_.push_back({pack.column, Shared(std::move(pods))});
  }
  return true;
}

// Builds the programme for the remaining pods. Patterns with more pods of a kind than remain are cut to those, and get
// the cheapest column that holds the rest.
void Programme::load() {
  std::vector<double> rows;
  for (const int left : left_) rows.push_back(left);
  lp_.emplace(rows);
  patterns_.clear();
  std::unordered_set<std::vector<int>, HashOfPods> seen;
  std::vector<int> cut(left_.size());
  for (const Pattern& known : pool_) {
    const std::vector<int>& pods = *known.pods;
    int kept = 0, dropped = 0;  // bits of the counts: 0 if no pod is kept, or dropped
    for (size_t i = 0; i < left_.size(); ++i) {
      cut[i] = std::min(pods[i], left_[i]);
      kept |= cut[i];
      dropped |= pods[i] - cut[i];
    }
    if (kept == 0) continue;
    if (dropped == 0)
      add(known);
    else if (seen.insert(cut).second)
      add({filler_.cheapest(cut, known.column), Shared(cut)});
  }
}

// Adds up to kColumnsAtOnce patterns of negative reduced cost, so that the duals improve soon. Prices each column
// closely only if a quick pricing of all columns finds none.
bool Programme::grow(bool closely) {
  std::vector<double> values;
  for (const double dual : optimum_.duals) values.push_back(std::max(0.0, dual));
  int grown = 0;
  for (const bool close : {false, true}) {
    if (close && !closely) break;
    for (size_t tried = 0; tried < packing_.columns().size() && grown < kColumnsAtOnce; ++tried) {
      next_column_ = (next_column_ + 1) % packing_.columns().size();
      const double worth_it = usd(next_column_) * (1 + kWorthIt);
      filler_.fill_best(packing_.columns()[next_column_], left_, values, close, worth_it, budget_);
      if (filler_.value <= worth_it) continue;
      pool_.push_back({next_column_, Shared(filler_.pods)});
      add(pool_.back());
      ++grown;
    }
    if (grown > 0 || budget_.left < reserve_) break;
  }
  return grown > 0;
}

bool Programme::optimise(int most_rounds, bool closely) {
  for (int round = 0;; ++round) {
    auto optimum = lp_->solve();
    budget_.spend(static_cast<int64_t>(patterns_.size() * counts_.size()) / kLpPerStep);
    if (!optimum) return false;
    optimum_ = std::move(*optimum);
    if (round == most_rounds || budget_.left < reserve_ || !grow(closely)) return true;
  }
}

void Programme::take(const Pattern& pattern, int times) {
  for (size_t i = 0; i < counts_.size(); ++i) left_[i] -= times * (*pattern.pods)[i];
  packs_.insert(packs_.end(), static_cast<size_t>(times), {pattern.column, contents_of(counts_, *pattern.pods)});
}

// Takes each pattern floor(level) times, as far as its pods remain.
bool Programme::take_whole_parts() {
  bool took = false;
  for (size_t p = 0; p < optimum_.levels.size(); ++p) {
    int times = static_cast<int>(std::floor(optimum_.levels[p] + kWhole));
    const std::vector<int>& pods = *patterns_[p].pods;
    for (size_t i = 0; i < pods.size(); ++i) {
      if (pods[i] > 0) times = std::min(times, left_[i] / pods[i]);
    }
    if (times <= 0) continue;
    take(patterns_[p], times);
    took = true;
  }
  return took;
}

bool Programme::take_largest_part(double shake) {
  size_t best = patterns_.size();
  double most = 0;
  for (size_t p = 0; p < optimum_.levels.size(); ++p) {
    if (optimum_.levels[p] < kWhole) continue;
    const double level = optimum_.levels[p] + shake * static_cast<double>(prng_.below(kSteps)) / kSteps;
    if (level <= most) continue;
    most = level;
    best = p;
  }
  if (best == patterns_.size()) return false;
  take(patterns_[best], 1);
  return true;
}

// Takes nodes until no pod remains, or until the plan cannot beat the best one.
void Programme::dive(double shake) {
  while ((take_whole_parts() || take_largest_part(shake)) && !done()) {
    load();
    if (!optimise(kMostRoundsInDive, false)) return;
    if (best_ && paid() + static_cast<int64_t>(optimum_.value * kPico) >= cost_of(packing_, *best_).price) return;
  }
  if (!done()) return;
  if (!best_ || cost_of(packing_, packs_) < cost_of(packing_, *best_)) best_ = packs_;
}

std::optional<std::vector<Pack>> Programme::run(std::span<const Pack> known) {
  if (!start(known)) return std::nullopt;
  left_ = all_;
  load();
  if (!optimise(kMostRounds, true)) return std::nullopt;
  const lp::Optimum root = optimum_;
  const std::vector<Pattern> columns = patterns_;
  const size_t pool = pool_.size();
  reserve_ = 0;
  for (int i = 0; i < kMostDives && !budget_.spent(); ++i) {
    left_ = all_;
    pool_.resize(pool);
    packs_.clear();
    optimum_ = root;
    patterns_ = columns;
    dive(i == 0 ? 0 : kShake);
  }
  if (!best_) return std::nullopt;
  for (Pack& pack : *best_) {  // patterns are computed in floating point: checks each node in integers
    pack.column = cheapest_column(packing_, pack.contents);
    if (pack.column == packing_.columns().size()) return std::nullopt;
  }
  return std::move(best_);
}

}  // namespace

std::vector<Content> contents_of(const Counts& counts, const std::vector<int>& pods) {
  std::vector<Content> contents;
  for (size_t i = 0; i < counts.size(); ++i) {
    if (pods[i] > 0) contents.push_back({counts[i].kind, pods[i]});
  }
  return contents;
}

bool holds(const Packing& packing, size_t column, const std::vector<Content>& contents) {
  Load load(packing, packing.columns()[column]);
  return std::all_of(contents.begin(), contents.end(), [&](const Content& content) {
    const PodKind& kind = packing.kinds()[content.kind];
    if (!packing.allowed(packing.columns()[column], kind) || load.room_for(kind) < content.count) return false;
    load.add(kind, content.count);
    return true;
  });
}

size_t cheapest_column(const Packing& packing, const std::vector<Content>& contents) {
  size_t c = 0;
  while (c < packing.columns().size() && !holds(packing, c, contents)) ++c;
  return c;
}

std::optional<std::vector<Pack>> pack_by_programme(const Packing& packing, const Counts& counts,
                                                   std::span<const Pack> known, Budget& budget) {
  return Programme(packing, counts, budget).run(known);
}

}  // namespace tenon::scheduling
