// SPDX-License-Identifier: Apache-2.0
#include "disruption/search.h"

#include <algorithm>
#include <queue>

#include "disruption/best_set.h"
#include "disruption/course.h"

namespace tenon::disruption {
namespace {

// Of the candidates that remain, so many at a time are tried together, side by side in the order of their use.
constexpr size_t kWindows[] = {2, 3, 4};

class Search {
 public:
  Search(const scheduling::Snapshot& snapshot, const Options& options, Nodes order, const BudgetLeft& budget,
         std::map<std::string, Kept>& kept)
      : snapshot_(snapshot), options_(options), course_(snapshot, options, std::move(order), budget, kept) {}

  std::vector<Move> run();
  int64_t steps() const { return course_.steps(); }

 private:
  void singles();
  void one_by_one();
  void several();
  std::optional<Trial> better_single(model::Price& most);
  void at_least_one_command();
  void all_anew();
  Nodes by_use();

  const scheduling::Snapshot& snapshot_;
  const Options& options_;
  Course course_;
  std::vector<Trial> paying_;  // single nodes, before the first move
  Nodes by_use_;               // all candidates, the least used first
};

// Why each node by itself stays, or that it need not.
void Search::singles() {
  for (const Candidate* candidate : course_.candidates()) {
    const Trial trial{{candidate}, course_.simulation().estimate({candidate})};
    if (trial.estimate.pays) {
      paying_.push_back(trial);
    } else {
      course_.keep(*candidate, course_.simulation().judge(trial.nodes, trial.estimate).why_not);
    }
  }
}

// What a move gains shrinks as others fill the room, seldom does it grow: so each is looked at again only when it is
// the best of what was known.
void Search::one_by_one() {
  struct Entry {
    double rank = 0;  // money per disturbed pod
    size_t at = 0;    // of the trials
    size_t moves = 0;
    bool operator<(const Entry& other) const { return rank != other.rank ? rank < other.rank : at > other.at; }
  };
  std::vector<Trial> trials = paying_;
  std::priority_queue<Entry> queue;
  const auto push = [&](size_t at, size_t moves) {
    const auto pods = static_cast<double>(trials[at].nodes.front()->cost_milli);
    queue.push({static_cast<double>(trials[at].estimate.gain.value()) / pods, at, moves});
  };
  for (size_t at = 0; at < trials.size(); ++at) push(at, 0);
  while (!queue.empty()) {
    const Entry entry = queue.top();
    queue.pop();
    Trial& trial = trials[entry.at];
    if (course_.remaining(trial.nodes).empty()) continue;
    const size_t moves = course_.moves().size();
    if (entry.moves != moves) {
      trial.estimate = course_.simulation().estimate(trial.nodes);
      if (trial.estimate.pays) push(entry.at, moves);
    } else if (!course_.make(trial)) {
      auto other = course_.with_one_new_node(trial);
      if (!other) continue;
      trial = std::move(*other);
      push(entry.at, moves);
    }
  }
}

// Sorts the candidates by the value of their pods per dollar of the node's price, the lowest first.
Nodes Search::by_use() {
  std::vector<std::pair<double, const Candidate*>> ranked;
  for (const Candidate* candidate : course_.candidates()) {
    const auto price = static_cast<double>(std::max<int64_t>(candidate->price.value(), 1));
    ranked.emplace_back(static_cast<double>(course_.simulation().worth({candidate}).value()) / price, candidate);
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  Nodes sorted;
  for (const auto& [use, candidate] : ranked) sorted.push_back(candidate);
  return sorted;
}

// Several nodes together: all that the budgets allow, half of them, a quarter, …, and a few side by side.
void Search::several() {
  const Nodes left = course_.remaining(by_use_);
  const Nodes most = within(left, course_.budget());
  std::vector<Trial> trials;
  for (size_t count = most.size(); count > 1; count /= 2) {
    Nodes nodes(most.begin(), most.begin() + static_cast<std::ptrdiff_t>(count));
    const Simulation::Estimate estimate = course_.simulation().estimate(nodes);
    if (estimate.pays) trials.push_back({std::move(nodes), estimate});
  }
  std::stable_sort(trials.begin(), trials.end(),
                   [](const Trial& a, const Trial& b) { return a.estimate.gain > b.estimate.gain; });
  for (const Trial& trial : trials) {
    if (course_.make(trial)) break;
  }
  for (const size_t width : kWindows) {
    for (size_t first = 0; first + width <= left.size(); ++first) {
      Nodes nodes;
      for (size_t i = first; i < first + width; ++i) {
        if (course_.simulation().open(*left[i])) nodes.push_back(left[i]);
      }
      if (nodes.size() < width || !course_.budget().allows(nodes)) continue;
      const Simulation::Estimate estimate = course_.simulation().estimate(nodes);
      if (estimate.pays) course_.make({std::move(nodes), estimate});
    }
  }
}

// Returns the single node that gains the most, if it gains more than `most`, and sets `most` to its gain.
std::optional<Trial> Search::better_single(model::Price& most) {
  std::optional<Trial> best;
  for (const Trial& trial : paying_) {
    if (trial.estimate.gain <= most) continue;
    const Judgement judgement = weigh(course_.simulation(), trial, course_.node_price());
    if (!judgement.move || gain_of(*judgement.move, course_.node_price()) <= most) continue;
    most = gain_of(*judgement.move, course_.node_price());
    best = trial;
  }
  return best;
}

// Compares the moves with single commands of Karpenter's kind: one node, or the first m nodes of an order. A command
// that gains more than all moves together replaces them, and the search continues on the cluster after that command.
void Search::at_least_one_command() {
  model::Price most = course_.gained();
  std::vector<Nodes> orders{within(course_.candidates(), course_.whole_budget()),
                            within(by_use_, course_.whole_budget())};
  for (Nodes& order : orders) order.resize(std::min(order.size(), kMostTogether));
  const bool any =
      std::any_of(orders.begin(), orders.end(),
                  [&](const Nodes& order) { return most_gain(order, course_.node_price()) > most; }) ||
      std::any_of(paying_.begin(), paying_.end(), [&](const Trial& trial) { return trial.estimate.gain > most; });
  if (!any) return;
  std::vector<Move> made = course_.moves();
  std::optional<Trial> best;
  if (!made.empty()) {  // else each single one is refused
    course_.begin_anew();
    best = better_single(most);
  }
  for (const Nodes& order : orders) {
    auto found = best_command(course_.simulation(), order, course_.node_price(), most);
    if (!found) continue;
    most = found->gain;
    best = std::move(found->trial);
  }
  if (!best) {
    course_.end_with(std::move(made));
    return;
  }
  course_.make(*best);
  one_by_one();
  several();
}

// Where small steps leave much to gain, one large one: as many nodes as may go are packed anew.
void Search::all_anew() {
  const Nodes nodes = within(by_use_, course_.whole_budget());
  if (nodes.size() <= kWindows[std::size(kWindows) - 1]) return;  // all such sets have been tried
  const model::Price saved = course_.gained(), node_price = course_.node_price();
  const int64_t left = (price_of(nodes) - saved).value(), least = course_.simulation().worth(nodes).value();
  if (left - least < left / 100 * kAnewGapPercent) return;
  const model::Price more(left / 100 * kAnewGainPercent);
  Judgement judgement = repack(snapshot_, options_, nodes, saved + more);
  if (!judgement.move || !worth_it(*judgement.move, nodes, node_price)) return;
  name_consolidation(*judgement.move);
  course_.end_with({std::move(*judgement.move)});
}

std::vector<Move> Search::run() {
  singles();
  if (course_.candidates().size() <= kEverySetUpTo) {
    while (make_best_set(course_)) {
    }
  } else {
    by_use_ = by_use();
    one_by_one();
    several();
    at_least_one_command();
    all_anew();
  }
  course_.name_budgets(paying_);
  return course_.moves();
}

}  // namespace

void search_consolidation(const scheduling::Snapshot& snapshot, const Options& options,
                          const std::vector<Candidate>& all, const BudgetLeft& budget, Pass& pass) {
  Search search(snapshot, options, most_saving_first(all), budget, pass.kept);
  std::vector<Move> found = search.run();
  std::move(found.begin(), found.end(), std::back_inserter(pass.moves));
  pass.steps += search.steps();
}

}  // namespace tenon::disruption
