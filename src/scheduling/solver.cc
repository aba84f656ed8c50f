// solve() is multi-start local search in four stages, each of which keeps the better plan by objective():
//
//   1. compile    Snapshot → Problem (problem.h).
//   2. first fit  First-fit decreasing in Karpenter's order, without prices: it decides which existing nodes are used,
//                 which preferences are relaxed, and the domains of pods with topology rules. If pods are left behind,
//                 it is repeated: by priority, with pods of spreads first, with types that spare the limits, and with
//                 pods that depend on each other placed as units (tied.h).
//   3. search     improve() launches cheaper nodes for the same pods: branch and bound for a handful of pods (exact.h),
//                 otherwise a bin packing (packing.h). With more than 64 classes, a second start may be searched in
//                 place of the first one: pods that are kept apart come first (docs/decisions/0029).
//   4. floor      First-fit decreasing as in textbooks: open nodes by age. The plan is never more expensive. This stage
//                 is skipped if pods have rules by domain and the first start does not bind the search; if it does
//                 (reservations, limits, existing nodes), this start is searched too.
//
//   40 pods of 2 CPU; 8 CPU for 0.34, 16 CPU for 0.80 USD/h. First fit fills 5 nodes of 16 CPU (4.00), because it adds
//   pods to an open node as long as any type holds them. The packing finds 10 nodes of 8 CPU (3.40).
//
// Cost: first fit tries about classes × bins; the search from a start takes at most improvement_steps (several times as
// many near the limit of nodes), and there are at most two.
// SPDX-License-Identifier: Apache-2.0
#include "scheduling/solver.h"

#include <algorithm>
#include <set>

#include "scheduling/answer/finish.h"
#include "scheduling/input/eviction.h"
#include "scheduling/pack/exact.h"
#include "scheduling/pack/improve.h"
#include "scheduling/pack/packing.h"
#include "scheduling/pack/tied.h"
#include "scheduling/search_state/compile.h"
#include "scheduling/search_state/first_fit.h"
#include "scheduling/search_state/objective.h"

namespace tenon::scheduling {
namespace {

struct Plan {
  State state;
  int64_t steps = 0;
  bool by_size = true;  // pods were placed by size
};

constexpr int kRetriesOfTied = 6;
constexpr size_t kFewClasses = 64;
constexpr int64_t kMoreSteps = 8;       // the second start may take one eighth more steps than the first one
constexpr int64_t kAllowedPercent = 2;  // by which a start with apart_first() may be more expensive

struct Attempt {
  Plan plan;
  std::vector<size_t> left;
};

Attempt attempt(State start, std::vector<size_t> pods, OpenOrder order = OpenOrder::kFewestPods) {
  Attempt result{{std::move(start)}, {}};
  FirstFit first_fit(result.plan.state, order);
  result.left = first_fit.place(std::move(pods));
  result.plan.steps = first_fit.steps();
  return result;
}

Attempt attempt(const Problem& problem, std::vector<size_t> pods, OpenOrder order = OpenOrder::kFewestPods) {
  return attempt(State(problem), std::move(pods), order);
}

// Places pods that are tied to each other before the others.
Attempt attempt(const Problem& problem, std::vector<size_t> pods, const Tied& tied) {
  Attempt result{{State(problem), 0, false}, {}};
  State& state = result.plan.state;
  const int64_t steps = tied.place(state);
  std::erase_if(pods, [&](size_t pod) { return state.bin_of(pod) != kNone; });
  FirstFit first_fit(state);
  result.left = first_fit.place(std::move(pods));
  result.plan.steps = steps + first_fit.steps();
  return result;
}

// Chooses types that leave most of the limits: the cheapest types may use all of a limit.
Attempt attempt_sparing_limits(const Problem& problem, std::vector<size_t> pods) {
  State start(problem);
  start.spare_limits(true);
  Attempt result = attempt(std::move(start), std::move(pods));
  result.plan.by_size = false;
  result.plan.state.spare_limits(false);
  return result;
}

// Places pods by size as Karpenter does. If pods are left behind, also tries the order by priority, so that those of
// the lowest priority remain. If several spreads of a pod allow different zones, it may not fit after the others; such
// pods come first then. The next attempts use nodes that leave more of the limits, and place pods that depend on each
// other as units.
Plan first_fit(const Problem& problem) {
  const std::vector<size_t> by_size = pods_in_order(problem, PodOrder::kSize);
  Attempt best = attempt(problem, by_size);
  if (best.left.empty()) return std::move(best.plan);
  const auto compare = [&](Attempt other) {
    other.plan.steps += best.plan.steps;
    if (objective(other.plan.state) < objective(best.plan.state)) {
      best = std::move(other);
    } else {
      best.plan.steps = other.plan.steps;
    }
  };
  Attempt by_priority = attempt(problem, pods_in_order(problem, PodOrder::kPriorityThenSize));
  by_priority.plan.by_size = false;
  compare(std::move(by_priority));
  std::set<size_t> late;
  for (int retry = 0; retry < kRetriesOfSpreads; ++retry) {
    const size_t before = late.size();
    for (const size_t pod : best.left) {
      if (spread_by_domain(problem, pod)) late.insert(pod);
    }
    if (late.size() == before) break;
    std::vector<size_t> order = by_size;
    std::stable_partition(order.begin(), order.end(), [&](size_t pod) { return late.contains(pod); });
    Attempt again = attempt(problem, std::move(order));
    again.plan.by_size = false;
    compare(std::move(again));
  }
  // WhatIf uses only the attempts above (what_if.h), and solve() must give the same answers.
  if (!problem.options.removed_nodes.empty()) return std::move(best.plan);
  const bool limited = std::any_of(problem.pools.begin(), problem.pools.end(),
                                   [](const PoolProblem& pool) { return !pool.limited.empty(); });
  if (limited && !best.left.empty()) compare(attempt_sparing_limits(problem, by_size));
  Tied tied(problem);
  std::vector<size_t> left = best.left;
  for (int retry = 0; retry < kRetriesOfTied && !best.left.empty() && tied.add(left); ++retry) {
    Attempt again = attempt(problem, by_size, tied);
    left = again.left;
    compare(std::move(again));
  }
  return std::move(best.plan);
}

// Places pods that the first plan left behind: a cheaper plan may leave more of a limit.
int64_t place_unplaced(State& state) {
  std::vector<size_t> left = pods_in_order(state.problem(), PodOrder::kPriorityThenSize);
  std::erase_if(left, [&](size_t pod) { return state.bin_of(pod) != kNone; });
  if (left.empty()) return 0;
  FirstFit first_fit(state);
  first_fit.place(std::move(left));
  return first_fit.steps();
}

void improve_plan(Plan& plan, int64_t steps) {
  const int64_t done = improve(plan.state, steps);
  if (done > 0) plan.steps += done + place_unplaced(plan.state);
}

// Returns true if the first plan fixes decisions that improve() cannot change: pods on existing nodes, new nodes that
// stay as they are, the use of reservations, the weights of pools, or an order of pods other than by size.
bool bound_to_its_start(const Plan& plan) {
  if (!plan.state.problem().reservations.empty()) return true;
  const auto joined = [](const Bin& bin) { return !bin.fresh() && !bin.placed.empty(); };
  const auto& bins = plan.state.bins();
  return !plan.by_size || objective(plan.state).lightness > 0 || Packing::is_hindered(plan.state) ||
         (plan.state.fresh_bins() > 0 && std::any_of(bins.begin(), bins.end(), joined));
}

// Makes another start: the best of first-fit decreasing by several orders, with open nodes by age.
Plan first_fit_oldest(const Problem& problem, std::initializer_list<PodOrder> orders) {
  std::optional<Plan> best;
  int64_t steps = 0;
  for (const PodOrder order : orders) {
    Plan plan = attempt(problem, pods_in_order(problem, order), OpenOrder::kOldest).plan;
    steps += plan.steps;
    if (!best || objective(plan.state) < objective(best->state)) best = std::move(plan);
  }
  best->steps = steps;
  return std::move(*best);
}

// Textbook first fit has no rules by domain; with many pods that have such rules it takes as long as the other stages
// together.
bool has_rules_by_domain(const Problem& problem) {
  return std::any_of(problem.classes.begin(), problem.classes.end(), [](const PodClass& c) {
    return std::any_of(c.forms.begin(), c.forms.end(), [](const Form& form) { return !form.uses.empty(); });
  });
}

// Returns how much rules by hostname keep such pods apart: 2 for anti-affinity, 1 for a spread, 0 for none.
int apartness(const Problem& problem, size_t pod) {
  int most = 0;
  for (const GroupUse& use : problem.classes[problem.pods[pod].pod_class].forms.front().host_uses) {
    const Group& group = problem.groups[use.group];
    if (!use.owned || group.kind == GroupKind::kAffinity) continue;
    most = std::max(most, group.keeps_apart() ? 2 : 1);
  }
  return most;
}

// Places the pods that are kept apart first: they need many nodes, however small they are, and the others fill these
// nodes. If that leaves pods behind, or takes an eighth more than `most_steps`, pods of spreads by domain come before
// the others as well. Returns std::nullopt if all pods are kept apart alike, or if there are few classes: those are
// packed by a linear programme, for which the start matters little.
std::optional<Plan> apart_first(const Problem& problem, int64_t most_steps) {
  if (problem.classes.size() <= kFewClasses) return std::nullopt;
  const std::vector<size_t> by_size = pods_in_order(problem, PodOrder::kSize);
  int64_t steps = 0;
  for (const bool spreads : {false, true}) {
    std::vector<std::pair<int, size_t>> ranks;
    for (const size_t pod : by_size)
      ranks.emplace_back(std::max(apartness(problem, pod), spreads && spread_by_domain(problem, pod) ? 1 : 0), pod);
    std::stable_sort(ranks.begin(), ranks.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    if (ranks.empty() || ranks.front().first == ranks.back().first) return std::nullopt;
    std::vector<size_t> order;
    for (const auto& [rank, pod] : ranks) order.push_back(pod);
    Plan plan{State(problem)};
    FirstFit first_fit(plan.state);
    if (!spreads) first_fit.stop_after(most_steps + most_steps / kMoreSteps);
    const bool all_placed = first_fit.place(std::move(order)).empty();
    steps += first_fit.steps();
    plan.steps = steps;
    if (all_placed || spreads) return plan;
  }
  return std::nullopt;
}

// Keeps the better one of two plans.
void compare(Plan& best, Plan other) {
  const int64_t steps = best.steps + other.steps;
  if (objective(other.state) < objective(best.state)) best = std::move(other);
  best.steps = steps;
}

// Searches from the better one of two starts. The start of apart_first() gains more from the search, so it may be
// kAllowedPercent more expensive. The plan is never more expensive than the first start.
void search(const Problem& problem, Plan& best) {
  std::optional<Plan> first;
  if (auto apart = apart_first(problem, best.steps)) {
    Objective cost = objective(apart->state);
    const Objective known = objective(best.state);
    apart->steps += best.steps;
    const bool cheaper = cost < known;
    cost.cost -= model::Price(cost.cost.value() / 100 * kAllowedPercent);
    if (cost < known) {
      std::swap(best, *apart);
      if (!cheaper) first = std::move(*apart);
    } else {
      best.steps = apart->steps;
    }
  }
  improve_plan(best, problem.options.improvement_steps);
  if (first) {
    first->steps = 0;
    compare(best, std::move(*first));
  }
}

// Keeps first-fit decreasing if it is cheaper. If the first start binds the search, a second start is searched as well.
void try_second_start(const Problem& problem, Plan& best) {
  const bool bound = bound_to_its_start(best);
  if (!bound && has_rules_by_domain(problem)) return;
  Plan other = bound ? first_fit_oldest(problem, {PodOrder::kSize, PodOrder::kShare, PodOrder::kMemory})
                     : first_fit_oldest(problem, {PodOrder::kSize});
  if (bound) improve_plan(other, problem.options.improvement_steps);
  compare(best, std::move(other));
}

}  // namespace

Solution solve(const Snapshot& snapshot, const SolveOptions& options) {
  const Problem problem = compile(snapshot, options);
  Plan best = first_fit(problem);
  const bool improves =
      options.improvement_steps > 0 && !(options.all_or_nothing && !objective(best.state).unplaced.empty());
  if (improves && small_enough(problem)) {
    improve_plan(best, options.improvement_steps);
  } else if (improves) {
    search(problem, best);
    try_second_start(problem, best);
  }
  best.state.rechoose_rows();
  Solution solution = finish(best.state);
  solution.pools_without_types = problem.pools_without_types;
  solution.steps += best.steps;
  return solution;
}

bool anything_to_place(const Snapshot& snapshot, const SolveOptions& options) {
  if (!snapshot.pending.empty()) return true;
  return std::any_of(snapshot.nodes.begin(), snapshot.nodes.end(), [&](const NodeView& node) {
    const auto& gone = options.removed_nodes;
    return std::find(gone.begin(), gone.end(), node.name()) != gone.end() &&
           std::any_of(node.pods.begin(), node.pods.end(),
                       [&](const PodPtr& pod) { return leaves_if_removed(snapshot, node, *pod); });
  });
}

}  // namespace tenon::scheduling
