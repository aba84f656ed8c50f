// Exact packing of few pods of few kinds: dynamic programming over counts.
//
// A combination of pods that a column holds is full if no further pod fits. Every node of a plan is a part of some full
// combination, and a part of a combination fits as well, so only full ones are enumerated. The recursion:
//
//   best(left) = min over full nodes of  price + best(max(0, left − pods of the node))
//
// Only full nodes with a pod of the first kind in `left` are tried, because some node of the plan must hold that pod.
// For one kind this is the coin-change problem. Example: 5 pods of 1 CPU; nodes of 2 CPU for 0.15 and of 3 CPU for 0.20
// USD/h. best(1) = best(2) = 0.15, best(3) = 0.20, best(4) = 0.15 + best(2) = 0.30, best(5) = 0.15 + best(3) = 0.35.
//
// Cost: states × full nodes, where states = Π (count of the kind + 1). Both are limited (kMostStates, kMostPatterns).
// Full nodes that another one beats in price and in pods of every kind are dropped first; that is quadratic in them.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <map>

#include "scheduling/pack/pack.h"

namespace tenon::scheduling {
namespace {

constexpr size_t kMostStates = 1 << 15, kMostPatterns = 1'500;

using Vector = std::vector<int>;  // pods by kind, in the order of Counts

class Exact {
 public:
  Exact(const Packing& packing, const Counts& counts, Budget& budget)
      : packing_(packing), counts_(counts), budget_(budget) {}
  std::optional<std::vector<Pack>> run();

 private:
  struct Pattern {
    Vector pods;
    size_t column;
  };
  bool list_patterns();
  bool extend(size_t column, size_t kind, const Load& load, Vector& pods);
  bool full(size_t column, const Load& load, const Vector& pods) const;
  void solve();
  size_t index(const Vector& pods) const;

  const Packing& packing_;
  const Counts& counts_;
  Budget& budget_;
  std::map<Vector, size_t> known_;  // a full node's pods → the cheapest column
  std::vector<Pattern> patterns_;
  size_t states_ = 1;
  std::vector<Cost> best_;
  std::vector<size_t> choice_;
};

bool Exact::full(size_t column, const Load& load, const Vector& pods) const {
  for (size_t k = 0; k < counts_.size(); ++k) {
    const PodKind& kind = packing_.kinds()[counts_[k].kind];
    const bool may = pods[k] < counts_[k].count && packing_.allowed(packing_.columns()[column], kind);
    if (may && load.room_for(kind) > 0) return false;
  }
  return true;
}

// Enumerates the counts of all kinds from `kind` on; returns false if there are too many combinations.
bool Exact::extend(size_t column, size_t kind, const Load& load, Vector& pods) {
  budget_.spend(1);
  if (budget_.spent()) return false;
  if (kind == counts_.size()) {
    const bool some = std::any_of(pods.begin(), pods.end(), [](int n) { return n > 0; });
    if (some && full(column, load, pods)) known_.try_emplace(pods, column);  // columns come by price
    return known_.size() <= kMostPatterns;
  }
  const PodKind& k = packing_.kinds()[counts_[kind].kind];
  const bool may = packing_.allowed(packing_.columns()[column], k);
  const int most = may ? std::min(load.room_for(k), counts_[kind].count) : 0;
  // The last kind takes all room: a node with fewer of its pods is not full.
  const int least = kind + 1 == counts_.size() ? most : 0;
  for (int n = most; n >= least; --n) {
    Load more = load;
    if (n > 0) more.add(k, n);
    pods[kind] = n;
    if (!extend(column, kind + 1, more, pods)) return false;
  }
  pods[kind] = 0;
  return true;
}

bool Exact::list_patterns() {
  Vector pods(counts_.size());
  for (size_t c = 0; c < packing_.columns().size(); ++c) {
    if (!extend(c, 0, Load(packing_, packing_.columns()[c]), pods)) return false;
  }
  const auto covers = [](const Vector& a, const Vector& b) {
    return std::equal(a.begin(), a.end(), b.begin(), [](int x, int y) { return x >= y; });
  };
  for (const auto& [all, column] : known_) patterns_.push_back({all, column});
  std::stable_sort(patterns_.begin(), patterns_.end(),
                   [](const Pattern& a, const Pattern& b) { return a.column < b.column; });
  std::vector<Pattern> kept;
  for (Pattern& pattern : patterns_) {
    budget_.spend(static_cast<int64_t>(patterns_.size()) / 8);
    const auto beats = [&](const Pattern& other) {
      const auto& columns = packing_.columns();
      return &other != &pattern && columns[other.column].price <= columns[pattern.column].price &&
             other.pods != pattern.pods && covers(other.pods, pattern.pods);
    };
    if (std::none_of(patterns_.begin(), patterns_.end(), beats)) kept.push_back(pattern);
  }
  patterns_ = std::move(kept);
  return !patterns_.empty();
}

size_t Exact::index(const Vector& pods) const {
  size_t at = 0;
  for (size_t k = 0; k < counts_.size(); ++k) {
    at = at * (static_cast<size_t>(counts_[k].count) + 1) + static_cast<size_t>(pods[k]);
  }
  return at;
}

// Computes the states in the order of their index: the state that a pattern leaves has a lower index.
void Exact::solve() {
  best_.assign(states_, {std::numeric_limits<int64_t>::max(), 0});
  choice_.assign(states_, patterns_.size());
  best_[0] = {};
  Vector left(counts_.size()), after(counts_.size());
  for (size_t state = 1; state < states_; ++state) {
    for (size_t k = counts_.size(); k-- > 0;) {  // count up
      if (++left[k] <= counts_[k].count) break;
      left[k] = 0;
    }
    const auto first =
        static_cast<size_t>(std::find_if(left.begin(), left.end(), [](int n) { return n > 0; }) - left.begin());
    for (size_t p = 0; p < patterns_.size(); ++p) {
      const Pattern& pattern = patterns_[p];
      if (pattern.pods[first] == 0) continue;  // some node holds the first kind: without loss of generality this one
      for (size_t k = 0; k < left.size(); ++k) after[k] = std::max(0, left[k] - pattern.pods[k]);
      const Cost& rest = best_[index(after)];
      if (rest.price == std::numeric_limits<int64_t>::max()) continue;
      const Cost cost{rest.price + packing_.columns()[pattern.column].price, rest.nodes + 1};
      if (cost >= best_[state]) continue;
      best_[state] = cost;
      choice_[state] = p;
    }
  }
}

std::optional<std::vector<Pack>> Exact::run() {
  for (const Content& content : counts_) {
    states_ *= static_cast<size_t>(content.count) + 1;
    if (states_ > kMostStates) return std::nullopt;
  }
  if (!list_patterns()) return std::nullopt;
  const auto work = static_cast<int64_t>(states_ * patterns_.size());
  if (work > budget_.left) return std::nullopt;
  budget_.spend(work);
  solve();
  Vector left;
  for (const Content& content : counts_) left.push_back(content.count);
  std::vector<Pack> packs;
  for (size_t state = index(left); state != 0; state = index(left)) {
    if (choice_[state] == patterns_.size()) return std::nullopt;
    const Pattern& pattern = patterns_[choice_[state]];
    std::vector<int> pods;
    for (size_t k = 0; k < left.size(); ++k) {
      pods.push_back(std::min(left[k], pattern.pods[k]));
      left[k] -= pods[k];
    }
    packs.push_back({pattern.column, contents_of(counts_, pods)});
  }
  return packs;
}

}  // namespace

std::optional<std::vector<Pack>> pack_exactly(const Packing& packing, const Counts& counts, Budget& budget) {
  return Exact(packing, counts, budget).run();
}

}  // namespace tenon::scheduling
