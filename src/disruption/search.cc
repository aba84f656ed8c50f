// SPDX-License-Identifier: Apache-2.0
#include "disruption/search.h"

#include <algorithm>
#include <queue>

#include "disruption/sets.h"
#include "model/labels.h"

namespace tenon::disruption {
namespace {

// Of the candidates that remain, so many at a time are tried together, side by side in the order of their use.
constexpr size_t kWindows[] = {2, 3, 4};

// Gains enough that no jitter takes it back.
bool worth_it(const Move& move, const Nodes& nodes, model::Price node_price) {
  const model::Price gain = gain_of(move, node_price);
  if (gain <= model::Price()) return false;
  const auto spot = [](const auto& node) { return node.launch.capacity_type == model::kCapacitySpot; };
  int64_t percent = nodes.size() + move.replacements.size() > 2 ? kRepackGainPercent : 0;
  const bool priced_anew = std::any_of(move.replacements.begin(), move.replacements.end(), spot) ||
                           std::any_of(nodes.begin(), nodes.end(), is_spot);
  if (priced_anew && !move.replacements.empty()) percent = kSpotGainPercent;
  return gain.value() >= price_of(nodes).value() / 100 * percent;
}

class Search {
 public:
  Search(const scheduling::Snapshot& snapshot, const Options& options, Nodes order, const BudgetLeft& budget,
         std::map<std::string, Kept>& kept)
      : snapshot_(snapshot),
        options_(options),
        simulation_(snapshot, options, order),
        order_(std::move(order)),
        whole_budget_(budget),
        budget_(budget),
        kept_(kept) {}

  std::vector<Move> run();
  int64_t steps() const { return simulation_.steps(); }

 private:
  struct Trial {
    Nodes nodes;
    Simulation::Estimate estimate;
  };
  void singles();
  void every_set();
  bool best_set();
  void one_by_one();
  void several();
  void all_anew();
  Nodes by_use(const Nodes& nodes) const;
  Nodes remaining() const;
  bool try_move(const Nodes& nodes, const Simulation::Estimate& estimate);

  const scheduling::Snapshot& snapshot_;
  const Options& options_;
  Simulation simulation_;
  Nodes order_;
  const BudgetLeft& whole_budget_;
  BudgetLeft budget_;
  std::map<std::string, Kept>& kept_;
  std::vector<Trial> paying_;  // single nodes, by order_
  std::vector<Move> moves_;
};

// Why each node by itself stays, or that it need not.
void Search::singles() {
  for (const Candidate* candidate : order_) {
    const Simulation::Estimate estimate = simulation_.estimate({candidate});
    if (estimate.pays) {
      paying_.push_back({{candidate}, estimate});
    } else {
      kept_[candidate->name()] = {"Unconsolidatable", simulation_.judge({candidate}, estimate).why_not,
                                  "node/" + candidate->name()};
    }
  }
}

bool Search::try_move(const Nodes& nodes, const Simulation::Estimate& estimate) {
  Judgement judgement = simulation_.judge(nodes, estimate);
  if (!judgement.move) {
    if (nodes.size() == 1) {
      const Candidate& candidate = *nodes.front();
      kept_[candidate.name()] = {"Unconsolidatable", judgement.why_not, "node/" + candidate.name()};
    }
    return false;
  }
  if (!worth_it(*judgement.move, nodes, options_.solve.node_price)) return false;
  judgement.move->method = nodes.size() == 1 ? Method::kSingleNodeConsolidation : Method::kMultiNodeConsolidation;
  judgement.move->reason = "Underutilized";
  simulation_.carry_out();
  for (const Candidate* candidate : nodes) budget_.take(*candidate);
  moves_.push_back(std::move(*judgement.move));
  return true;
}

// Those that may still go, now.
Nodes Search::remaining() const {
  Nodes left;
  std::copy_if(order_.begin(), order_.end(), std::back_inserter(left), [&](const Candidate* candidate) {
    return simulation_.open(*candidate) && budget_.left(candidate->node->pool()) > 0;
  });
  return left;
}

// The most money, then the fewest nodes, then the least disturbance. Sets that could not gain more than the best one
// found are looked at only if that came to nothing.
bool Search::best_set() {
  std::vector<Nodes> sets = sets_of(remaining(), budget_);
  while (!sets.empty()) {
    std::vector<Trial> trials;
    std::vector<Nodes> later;
    model::Price best;
    const int64_t beside = options_.solve.node_price.value();
    for (Nodes& nodes : sets) {
      const model::Price most = price_of(nodes) + model::Price(static_cast<int64_t>(nodes.size()) * beside);
      if (most < best) {
        later.push_back(std::move(nodes));
        continue;
      }
      const Simulation::Estimate estimate = simulation_.estimate(nodes);
      if (!estimate.pays) continue;
      best = std::max(best, estimate.gain);
      trials.push_back({std::move(nodes), estimate});
    }
    std::sort(trials.begin(), trials.end(), [&](const Trial& a, const Trial& b) {
      if (a.estimate.gain != b.estimate.gain) return a.estimate.gain > b.estimate.gain;
      if (a.nodes.size() != b.nodes.size()) return a.nodes.size() < b.nodes.size();
      if (disturbance(a.nodes) != disturbance(b.nodes)) return disturbance(a.nodes) < disturbance(b.nodes);
      return names(a.nodes) < names(b.nodes);
    });
    for (const Trial& trial : trials) {
      if (try_move(trial.nodes, trial.estimate)) return true;
    }
    sets = std::move(later);
  }
  return false;
}

void Search::every_set() {
  while (best_set()) {
  }
}

// What a move gains shrinks as others fill the room, seldom does it grow: so each is looked at again only when it is
// the best of what was known.
void Search::one_by_one() {
  struct Entry {
    double rank = 0;  // money per disturbed pod
    size_t at = 0;    // of paying_
    size_t moves = 0;
    bool operator<(const Entry& other) const { return rank != other.rank ? rank < other.rank : at > other.at; }
  };
  const auto rank = [&](size_t at) {
    return static_cast<double>(paying_[at].estimate.gain.value()) /
           static_cast<double>(paying_[at].nodes.front()->cost_milli);
  };
  std::priority_queue<Entry> queue;
  for (size_t at = 0; at < paying_.size(); ++at) queue.push({rank(at), at, 0});
  while (!queue.empty()) {
    const Entry entry = queue.top();
    queue.pop();
    Trial& trial = paying_[entry.at];
    if (!simulation_.open(*trial.nodes.front()) || !budget_.allows(trial.nodes)) continue;
    if (entry.moves != moves_.size()) {
      trial.estimate = simulation_.estimate(trial.nodes);
      if (trial.estimate.pays) queue.push({rank(entry.at), entry.at, moves_.size()});
      continue;
    }
    try_move(trial.nodes, trial.estimate);
  }
}

// Least used first: what their pods are worth for each dollar that the node costs.
Nodes Search::by_use(const Nodes& nodes) const {
  std::vector<std::pair<double, const Candidate*>> ranked;
  for (const Candidate* candidate : nodes) {
    const auto price = static_cast<double>(std::max<int64_t>(candidate->price.value(), 1));
    ranked.emplace_back(static_cast<double>(simulation_.worth({candidate}).value()) / price, candidate);
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  Nodes sorted;
  for (const auto& [use, candidate] : ranked) sorted.push_back(candidate);
  return sorted;
}

// Several nodes together: all that the budgets allow, half of them, a quarter, …, and a few side by side.
void Search::several() {
  const Nodes left = by_use(remaining());
  const Nodes most = within(left, budget_);
  std::vector<Trial> trials;
  for (size_t count = most.size(); count > 1; count /= 2) {
    Nodes nodes(most.begin(), most.begin() + static_cast<std::ptrdiff_t>(count));
    const Simulation::Estimate estimate = simulation_.estimate(nodes);
    if (estimate.pays) trials.push_back({std::move(nodes), estimate});
  }
  std::stable_sort(trials.begin(), trials.end(),
                   [](const Trial& a, const Trial& b) { return a.estimate.gain > b.estimate.gain; });
  for (const Trial& trial : trials) {
    if (try_move(trial.nodes, trial.estimate)) break;
  }
  for (const size_t width : kWindows) {
    for (size_t first = 0; first + width <= left.size(); ++first) {
      Nodes nodes;
      for (size_t i = first; i < first + width; ++i) {
        if (simulation_.open(*left[i])) nodes.push_back(left[i]);
      }
      if (nodes.size() < width || !budget_.allows(nodes)) continue;
      const Simulation::Estimate estimate = simulation_.estimate(nodes);
      if (estimate.pays) try_move(nodes, estimate);
    }
  }
}

// Where small steps leave much to gain, one large one: as many nodes as may go are packed anew.
void Search::all_anew() {
  const Nodes nodes = within(by_use(order_), whole_budget_);
  if (nodes.size() <= kWindows[std::size(kWindows) - 1]) return;  // all such sets have been tried
  model::Price saved;
  const model::Price node_price = options_.solve.node_price;
  for (const Move& move : moves_) saved += gain_of(move, node_price);
  const int64_t left = (price_of(nodes) - saved).value(), least = simulation_.worth(nodes).value();
  if (left - least < left / 100 * kAnewGapPercent) return;
  Judgement judgement = repack(snapshot_, options_, nodes);
  if (!judgement.move || !worth_it(*judgement.move, nodes, node_price)) return;
  if ((gain_of(*judgement.move, node_price) - saved).value() < left / 100 * kAnewGainPercent) return;
  judgement.move->method = Method::kMultiNodeConsolidation;
  judgement.move->reason = "Underutilized";
  moves_.clear();
  moves_.push_back(std::move(*judgement.move));
}

std::vector<Move> Search::run() {
  singles();
  if (order_.size() <= kEverySetUpTo) {
    every_set();
  } else {
    one_by_one();
    several();
    all_anew();
  }
  return std::move(moves_);
}

}  // namespace

void search_consolidation(const scheduling::Snapshot& snapshot, const Options& options,
                          const std::vector<Candidate>& all, const BudgetLeft& budget, Pass& pass) {
  Nodes order;
  for (const Candidate& candidate : all) order.push_back(&candidate);
  // Money per disturbed pod, most first; parity: consolidation.go sortCandidates.
  std::stable_sort(order.begin(), order.end(), [](const Candidate* a, const Candidate* b) {
    return static_cast<__int128>(a->price.value()) * b->cost_milli >
           static_cast<__int128>(b->price.value()) * a->cost_milli;
  });
  Search search(snapshot, options, std::move(order), budget, pass.kept);
  std::vector<Move> found = search.run();
  std::move(found.begin(), found.end(), std::back_inserter(pass.moves));
  pass.steps += search.steps();
}

}  // namespace tenon::disruption
