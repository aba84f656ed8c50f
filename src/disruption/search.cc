// Problem: choose disjoint sets of candidates to remove, so that the pods fit on the other nodes and on cheaper new
// ones, and the pass gains as much as possible within the budgets. The number of sets doubles with each candidate.
//
// Method: up to kEverySetUpTo candidates, best_set.h makes the best of all sets, until none pays. Then repack_sets()
// plans the sets that may gain more than all moves with solve(), because first fit may fail where solve() succeeds.
// With more candidates:
//   1. one_by_one(): single nodes, the most gain per disruption first. A move seldom raises the gain of another, so an
//      old estimate is nearly an upper bound: only the first of the queue is estimated again (lazy greedy).
//   2. several(): the least used nodes together (lower bound of the price of the pods / price of the node): all that
//      the budgets allow, half of them, a quarter, …; then each 2, 3 and 4 neighbours in this order. kRefusedInARow
//      refused sets of one size in a row are the last of this size.
//   3. repack_all(): if the price that is left exceeds its lower bound by kRepackAllGapPercent, solve() packs all nodes
//      that the budgets allow. Its plan replaces all moves if it gains kRepackAllGainPercent of the price more
//      (docs/decisions/0006).
//   4. at_least_one_command(): if one node or one command (command.h), on the cluster before any move, gains more than
//      all moves together, it replaces them, and steps 1 and 2 follow on the cluster after it (docs/decisions/0019).
//      After step 3, because a higher gain to beat leaves fewer commands to try.
// With few pods, repack_sets() plans single commands at the end, whatever the number of candidates.
//
// Example of step 1: a gains 0.096 USD/h and has 2 ordinary pods (cost 3000), b 0.192 and 8 pods (9000), c 0.096 and 5
// pods (6000). Per 1000 that is 0.032, 0.021 and 0.016, so a is removed first. Its pods fill room that b counted on: b
// is estimated again, gains 0.096 now, 0.011 per 1000, and returns to the queue behind c.
//
// Cost: repack_sets() takes at most kSetsRepacked calls of solve(), with few pods kMoreSetsRepacked +
// kCommandsRepacked. n > kEverySetUpTo candidates take n estimates in step 1 and one for each stale entry that comes
// first, at most log2(n) + 3 n in step 2, and a new compilation of the cluster with limited steps in step 4. Step 3
// takes one solve() with improvement. The time of an estimate grows with the pods that move, not with the cluster
// (removal_evaluator.cc).
// SPDX-License-Identifier: Apache-2.0
#include "disruption/search.h"

#include <algorithm>
#include <queue>

#include "disruption/best_set.h"
#include "disruption/course.h"

namespace tenon::disruption {
namespace {

// Sizes of the sets of neighbours, in the order of their use, that several() tries.
constexpr size_t kWindows[] = {2, 3, 4};
// After so many refused sets of one size in a row, several() tries no more of that size. The least used nodes come
// first, so later sets have a smaller chance. In a cluster of 50,000 nodes after step 1, all of 33,756 sets were
// refused, in half of the time of the pass.
constexpr size_t kRefusedInARow = 1'000;
// Sets that repack_sets() plans at most in one pass; with up to kFewPods pods on the candidates kMoreSetsRepacked, and
// so many single commands.
constexpr int kSetsRepacked = 16, kMoreSetsRepacked = 64, kCommandsRepacked = 40;
constexpr size_t kFewPods = 100;

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
  void repack_all();
  void repack_sets(std::vector<Nodes> all, int most_planned);
  std::vector<Nodes> single_commands() const;
  bool few_pods() const;
  Nodes by_utilization();

  const scheduling::Snapshot& snapshot_;
  const Options& options_;
  Course course_;
  std::vector<Trial> paying_;  // single nodes whose removal pays, before the first move
  Nodes by_utilization_;       // all candidates, the least used first
};

// Estimates each node by itself. Records why it stays if its removal does not pay.
void Search::singles() {
  for (const Candidate* candidate : course_.candidates()) {
    const Trial trial{{candidate}, course_.evaluator().estimate({candidate})};
    if (trial.estimate.pays) {
      paying_.push_back(trial);
    } else {
      course_.keep(*candidate, course_.evaluator().judge(trial.nodes, trial.estimate).why_not);
    }
  }
}

// The gain of a move shrinks as other moves fill the room, and seldom grows. So a trial is estimated again only when
// its old estimate is the best one.
void Search::one_by_one() {
  struct Entry {
    double rank = 0;   // gain per disruption cost
    size_t at = 0;     // index in `trials`
    size_t moves = 0;  // made before the estimate
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
      trial.estimate = course_.evaluator().estimate(trial.nodes);
      if (trial.estimate.pays) push(entry.at, moves);
    } else if (!course_.make(trial)) {
      auto other = course_.with_one_new_node(trial);
      if (!other) continue;
      trial = std::move(*other);
      push(entry.at, moves);
    }
  }
}

// Sorts the candidates by the lower bound of the price of their pods / the price of the node, the lowest first.
Nodes Search::by_utilization() {
  std::vector<std::pair<double, const Candidate*>> ranked;
  for (const Candidate* candidate : course_.candidates()) {
    const auto price = static_cast<double>(std::max<int64_t>(candidate->price.value(), 1));
    ranked.emplace_back(static_cast<double>(course_.evaluator().pods_price_bound({candidate}).value()) / price,
                        candidate);
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  Nodes sorted;
  for (const auto& [use, candidate] : ranked) sorted.push_back(candidate);
  return sorted;
}

// Tries several nodes together: all that the budgets allow, half of them, a quarter, …, and sets of neighbours.
void Search::several() {
  const Nodes left = course_.remaining(by_utilization_);
  const Nodes most = within(left, course_.budget());
  std::vector<Trial> trials;
  for (size_t count = most.size(); count > 1; count /= 2) {
    Nodes nodes(most.begin(), most.begin() + static_cast<std::ptrdiff_t>(count));
    const RemovalEvaluator::Estimate estimate = course_.evaluator().estimate(nodes);
    if (estimate.pays) trials.push_back({std::move(nodes), estimate});
  }
  std::stable_sort(trials.begin(), trials.end(),
                   [](const Trial& a, const Trial& b) { return a.estimate.gain > b.estimate.gain; });
  for (const Trial& trial : trials) {
    if (course_.make(trial)) break;
  }
  for (const size_t width : kWindows) {
    size_t refused = 0;
    for (size_t first = 0; first + width <= left.size() && refused < kRefusedInARow; ++first) {
      Nodes nodes;
      for (size_t i = first; i < first + width; ++i) {
        if (course_.evaluator().open(*left[i])) nodes.push_back(left[i]);
      }
      if (nodes.size() < width || !course_.budget().allows(nodes)) continue;
      const RemovalEvaluator::Estimate estimate = course_.evaluator().estimate(nodes);
      const bool made = estimate.pays && course_.make({std::move(nodes), estimate});
      refused = made ? 0 : refused + 1;
    }
  }
}

// Returns the single node that gains the most, if it gains more than `most`, and sets `most` to its gain.
std::optional<Trial> Search::better_single(model::Price& most) {
  std::optional<Trial> best;
  for (const Trial& trial : paying_) {
    if (trial.estimate.gain <= most) continue;
    const Judgement judgement = weigh(course_.evaluator(), trial, course_.node_price());
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
                            within(by_utilization_, course_.whole_budget())};
  for (Nodes& order : orders) order.resize(std::min(order.size(), kMostTogether));
  const bool any =
      std::any_of(orders.begin(), orders.end(),
                  [&](const Nodes& order) { return most_gain(order, course_.node_price()) > most; }) ||
      std::any_of(paying_.begin(), paying_.end(), [&](const Trial& trial) { return trial.estimate.gain > most; });
  if (!any) return;
  std::vector<Move> made = course_.moves();
  std::optional<Trial> best;
  if (!made.empty()) {  // without a move, each single node has been rejected
    course_.restart();
    best = better_single(most);
  }
  for (const Nodes& order : orders) {
    auto found = best_command(course_.evaluator(), order, course_.node_price(), most);
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

// Repacks as many nodes as the budgets allow, if the smaller moves leave much to gain.
void Search::repack_all() {
  const Nodes nodes = within(by_utilization_, course_.whole_budget());
  if (nodes.size() <= kWindows[std::size(kWindows) - 1]) return;  // several() tries sets of this size
  const model::Price saved = course_.gained(), node_price = course_.node_price();
  const int64_t left = (price_of(nodes) - saved).value(), least = course_.evaluator().pods_price_bound(nodes).value();
  if (left - least < left / 100 * kRepackAllGapPercent) return;
  const model::Price more(left / 100 * kRepackAllGainPercent);
  course_.free_simulation();  // repack() compiles the cluster for itself
  Judgement judgement = repack(snapshot_, options_, nodes, saved + more);
  if (!judgement.move || !worth_it(*judgement.move, nodes, node_price)) return;
  name_consolidation(*judgement.move);
  course_.end_with({std::move(*judgement.move)});
}

// Plans the sets with the highest upper bounds from scratch, on the cluster before any move. The best plan that gains
// more than all moves together replaces them.
void Search::repack_sets(std::vector<Nodes> all, int most_planned) {
  std::vector<Move> best = course_.moves();
  model::Price most = course_.gained();
  if (most_gain(within(course_.candidates(), course_.whole_budget()), course_.node_price()) <= most) return;
  if (!best.empty()) course_.restart();
  std::vector<std::pair<model::Price, Nodes>> sets;
  for (Nodes& nodes : all) {
    const model::Price bound = course_.evaluator().gain_bound(nodes);
    if (bound > most) sets.emplace_back(bound, std::move(nodes));
  }
  std::stable_sort(sets.begin(), sets.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  Options plain = options_;  // improvement costs most of the time, and the forecast seldom accepts its tight plans
  plain.solve.improvement_steps = 0;
  int planned = 0;
  for (const auto& [bound, nodes] : sets) {
    if (bound <= most || ++planned > most_planned) break;
    Judgement judgement = repack(snapshot_, plain, nodes, most + model::Price(1));
    if (!judgement.move || !worth_it(*judgement.move, nodes, course_.node_price())) continue;
    name_consolidation(*judgement.move);
    most = gain_of(*judgement.move, course_.node_price());
    best = {std::move(*judgement.move)};
  }
  course_.end_with(std::move(best));
}

// Lists each candidate alone, and the first m of Karpenter's order.
std::vector<Nodes> Search::single_commands() const {
  std::vector<Nodes> sets;
  for (const Candidate* candidate : course_.candidates()) {
    if (course_.whole_budget().allows({candidate})) sets.push_back({candidate});
  }
  const Nodes order = within(course_.candidates(), course_.whole_budget());
  for (size_t count = 2; count <= order.size(); ++count) {
    sets.emplace_back(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count));
  }
  return sets;
}

bool Search::few_pods() const {
  size_t pods = 0;
  for (const Candidate* candidate : course_.candidates()) pods += candidate->node->pods.size();
  return pods <= kFewPods;
}

std::vector<Move> Search::run() {
  singles();
  began(options_, Method::kMultiNodeConsolidation);
  if (course_.candidates().size() <= kEverySetUpTo) {
    while (make_best_set(course_)) {
    }
    repack_sets(sets_of(course_.candidates(), course_.whole_budget()), few_pods() ? kMoreSetsRepacked : kSetsRepacked);
  } else {
    by_utilization_ = by_utilization();
    one_by_one();
    several();
    repack_all();
    at_least_one_command();
  }
  if (few_pods()) repack_sets(single_commands(), kCommandsRepacked);
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
