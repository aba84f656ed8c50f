// SPDX-License-Identifier: Apache-2.0
#include "disruption/search.h"

#include <algorithm>
#include <queue>

#include "model/labels.h"

namespace tenon::disruption {
namespace {

// Of the candidates that remain, so many at a time are tried together, side by side in the order of their use.
constexpr size_t kWindows[] = {2, 3, 4};

model::Price price_of(const Nodes& nodes) {
  model::Price sum;
  for (const Candidate* candidate : nodes) sum += candidate->price;
  return sum;
}

// Gains enough that no jitter takes it back.
bool worth_it(const Move& move, const Nodes& nodes) {
  if (move.savings <= model::Price()) return false;
  const auto spot = [](const auto& node) { return node.launch.capacity_type == model::kCapacitySpot; };
  int64_t percent = move.replacements.size() > 1 ? kRepackGainPercent : 0;
  if (std::any_of(move.replacements.begin(), move.replacements.end(), spot)) percent = kSpotGainPercent;
  return move.savings.value() >= price_of(nodes).value() / 100 * percent;
}

class Search {
 public:
  Search(const scheduling::Snapshot& snapshot, const Options& options, Nodes order, const BudgetLeft& budget,
         std::map<std::string, Kept>& kept)
      : simulation_(snapshot, options, order), order_(std::move(order)), budget_(budget), kept_(kept) {}

  std::vector<Move> run();

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
  Nodes remaining() const;
  bool try_move(const Nodes& nodes, const Simulation::Estimate& estimate);

  Simulation simulation_;
  Nodes order_;
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
  if (!worth_it(*judgement.move, nodes)) return false;
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

// The most money, then the fewest nodes, then the least disturbance.
bool Search::best_set() {
  const Nodes left = remaining();
  std::vector<Trial> trials;
  for (uint32_t bits = 1; bits < (1U << left.size()); ++bits) {
    Nodes nodes;
    for (size_t i = 0; i < left.size(); ++i) {
      if (bits >> i & 1) nodes.push_back(left[i]);
    }
    if (!budget_.allows(nodes)) continue;
    const Simulation::Estimate estimate = simulation_.estimate(nodes);
    if (estimate.pays) trials.push_back({std::move(nodes), estimate});
  }
  const auto disturbance = [](const Nodes& nodes) {
    int64_t sum = 0;
    for (const Candidate* candidate : nodes) sum += candidate->cost_milli;
    return sum;
  };
  const auto names = [](const Nodes& nodes) {
    std::vector<std::string> all;
    for (const Candidate* candidate : nodes) all.push_back(candidate->name());
    std::sort(all.begin(), all.end());
    return all;
  };
  std::sort(trials.begin(), trials.end(), [&](const Trial& a, const Trial& b) {
    if (a.estimate.gain != b.estimate.gain) return a.estimate.gain > b.estimate.gain;
    if (a.nodes.size() != b.nodes.size()) return a.nodes.size() < b.nodes.size();
    if (disturbance(a.nodes) != disturbance(b.nodes)) return disturbance(a.nodes) < disturbance(b.nodes);
    return names(a.nodes) < names(b.nodes);
  });
  return std::any_of(trials.begin(), trials.end(),
                     [&](const Trial& trial) { return try_move(trial.nodes, trial.estimate); });
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

// Several nodes together, the least used first: half of them, a quarter, …, and a few side by side.
void Search::several() {
  Nodes left = remaining();
  std::vector<std::pair<double, const Candidate*>> by_use;
  for (const Candidate* candidate : left) by_use.emplace_back(simulation_.use(*candidate), candidate);
  std::stable_sort(by_use.begin(), by_use.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  Nodes within;  // the budgets
  BudgetLeft budget = budget_;
  for (const auto& [use, candidate] : by_use) {
    if (budget.left(candidate->node->pool()) == 0) continue;
    budget.take(*candidate);
    within.push_back(candidate);
  }
  std::vector<Trial> trials;
  for (size_t count = within.size(); count > 1; count /= 2) {
    Nodes nodes(within.begin(), within.begin() + static_cast<std::ptrdiff_t>(count));
    const Simulation::Estimate estimate = simulation_.estimate(nodes);
    if (estimate.pays) trials.push_back({std::move(nodes), estimate});
  }
  std::stable_sort(trials.begin(), trials.end(),
                   [](const Trial& a, const Trial& b) { return a.estimate.gain > b.estimate.gain; });
  std::any_of(trials.begin(), trials.end(), [&](const Trial& trial) { return try_move(trial.nodes, trial.estimate); });
  for (const size_t width : kWindows) {
    for (size_t first = 0; first + width <= by_use.size(); ++first) {
      Nodes nodes;
      for (size_t i = first; i < first + width; ++i) {
        if (simulation_.open(*by_use[i].second)) nodes.push_back(by_use[i].second);
      }
      if (nodes.size() < width || !budget_.allows(nodes)) continue;
      const Simulation::Estimate estimate = simulation_.estimate(nodes);
      if (estimate.pays) try_move(nodes, estimate);
    }
  }
}

std::vector<Move> Search::run() {
  singles();
  if (order_.size() <= kEverySetUpTo) {
    every_set();
  } else {
    one_by_one();
    several();
  }
  return std::move(moves_);
}

}  // namespace

std::vector<Move> search_consolidation(const scheduling::Snapshot& snapshot, const Options& options,
                                       const std::vector<Candidate>& all, const BudgetLeft& budget,
                                       std::map<std::string, Kept>& kept) {
  Nodes order;
  for (const Candidate& candidate : all) order.push_back(&candidate);
  // Money per disturbed pod, most first; parity: consolidation.go sortCandidates.
  std::stable_sort(order.begin(), order.end(), [](const Candidate* a, const Candidate* b) {
    return static_cast<__int128>(a->price.value()) * b->cost_milli >
           static_cast<__int128>(b->price.value()) * a->cost_milli;
  });
  return Search(snapshot, options, std::move(order), budget, kept).run();
}

}  // namespace tenon::disruption
