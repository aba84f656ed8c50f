// Theory. A move takes a set of nodes away and buys at most one cheaper node. The number of sets is exponential, so:
// few candidates (the usual small cluster, and whatever budgets leave of a large one): every set the budgets allow, the
// dearest first, until no set left can beat the best found. Many: single nodes, and prefixes of the order "most money
// per disturbed pod", which is where large moves are found. The best saving wins; ties go to fewer nodes, then to
// names. SPDX-License-Identifier: Apache-2.0
#include "disruption/search.h"

#include <algorithm>
#include <bit>

namespace tenon::disruption {
namespace {

using Set = std::vector<const Candidate*>;

model::Price price_of(const Set& set) {
  model::Price sum;
  for (const Candidate* candidate : set) sum += candidate->price;
  return sum;
}

bool better(const Move& a, const Move& b) {
  if (a.savings != b.savings) return a.savings > b.savings;
  if (a.nodes.size() != b.nodes.size()) return a.nodes.size() < b.nodes.size();
  if (a.disruption_cost_milli != b.disruption_cost_milli) return a.disruption_cost_milli < b.disruption_cost_milli;
  return a.nodes < b.nodes;
}

// A replacement of a type that goes anyway must be cheaper than the cheapest such node, or the pods only moved house.
// parity: karpenter multinodeconsolidation.go filterOutSameInstanceType
bool only_moves_house(const Move& move, const Set& set) {
  if (set.size() < 2 || move.replacements.empty()) return false;
  const auto& launch = move.replacements.front().launch;
  return std::any_of(set.begin(), set.end(), [&](const Candidate* candidate) {
    const model::StringMap labels = candidate->node->labels();
    return model::lookup(labels, "node.kubernetes.io/instance-type") == launch.instance_type &&
           launch.price >= candidate->price && move.savings <= model::Price();
  });
}

class Search {
 public:
  Search(const scheduling::Snapshot& snapshot, const Options& options, const BudgetLeft& budget,
         std::map<std::string, Kept>& kept)
      : snapshot_(snapshot), options_(options), budget_(budget), kept_(kept) {}

  void try_set(const Set& set) {
    if (simulations_ >= kSimulationsPerPass || !budget_.allows(set)) return;
    if (best_ && price_of(set) <= best_->savings) return;  // even for nothing it would not save more
    ++simulations_;
    Judgement judgement = simulate(snapshot_, options_, set, Buy::kOneCheaper);
    if (!judgement.move) {
      if (set.size() == 1) keep(*set.front(), judgement.why_not);
      return;
    }
    Move& move = *judgement.move;
    if (move.savings <= model::Price() || only_moves_house(move, set)) return;
    move.method = set.size() == 1 ? Method::kSingleNodeConsolidation : Method::kMultiNodeConsolidation;
    move.reason = "Underutilized";
    if (!best_ || better(move, *best_)) best_ = std::move(move);
  }

  std::optional<Move> take() { return std::move(best_); }

 private:
  void keep(const Candidate& candidate, const std::string& why) {
    kept_[candidate.name()] = {"Unconsolidatable", why, "node/" + candidate.name()};
  }

  const scheduling::Snapshot& snapshot_;
  const Options& options_;
  const BudgetLeft& budget_;
  std::map<std::string, Kept>& kept_;
  std::optional<Move> best_;
  int simulations_ = 0;
};

std::vector<Set> every_set(const std::vector<const Candidate*>& all, const BudgetLeft& budget) {
  std::vector<Set> sets;
  for (uint32_t bits = 1; bits < (1u << all.size()); ++bits) {
    Set set;
    for (size_t i = 0; i < all.size(); ++i) {
      if (bits >> i & 1) set.push_back(all[i]);
    }
    if (set.size() > 1 && budget.allows(set)) sets.push_back(std::move(set));
  }
  std::stable_sort(sets.begin(), sets.end(), [](const Set& a, const Set& b) { return price_of(a) > price_of(b); });
  return sets;
}

std::vector<Set> prefixes(const std::vector<const Candidate*>& all, const BudgetLeft& budget) {
  std::vector<Set> sets;
  BudgetLeft left = budget;
  Set set;
  for (const Candidate* candidate : all) {
    if (left.left(candidate->node->pool()) == 0) continue;
    left.take(*candidate);
    set.push_back(candidate);
    if (set.size() > 1) sets.push_back(set);
  }
  std::reverse(sets.begin(), sets.end());  // the largest first
  return sets;
}

}  // namespace

std::vector<Move> search_consolidation(const scheduling::Snapshot& snapshot, const Options& options,
                                       const std::vector<Candidate>& all, const BudgetLeft& budget,
                                       std::map<std::string, Kept>& kept) {
  std::vector<const Candidate*> order;
  for (const Candidate& candidate : all) order.push_back(&candidate);
  // Money per disturbed pod, most first; parity: consolidation.go sortCandidates.
  std::stable_sort(order.begin(), order.end(), [](const Candidate* a, const Candidate* b) {
    return static_cast<__int128>(a->price.value()) * b->cost_milli >
           static_cast<__int128>(b->price.value()) * a->cost_milli;
  });
  Search search(snapshot, options, budget, kept);
  for (const Candidate* candidate : order) search.try_set({candidate});
  for (const Set& set : order.size() <= kEverySetUpTo ? every_set(order, budget) : prefixes(order, budget)) {
    search.try_set(set);
  }
  std::vector<Move> moves;
  if (auto best = search.take()) moves.push_back(std::move(*best));
  return moves;
}

}  // namespace tenon::disruption
