// SPDX-License-Identifier: Apache-2.0
#include "scheduling/solver.h"

#include "scheduling/finish.h"
#include "scheduling/first_fit.h"
#include "scheduling/improve.h"
#include "scheduling/objective.h"

namespace tenon::scheduling {
namespace {

struct Plan {
  State state;
  int64_t steps = 0;
};

// By size as Karpenter does; if that leaves pods behind, also by priority, so that the least important stay.
Plan first_fit(const Problem& problem) {
  Plan plan{State(problem)};
  FirstFit by_size(plan.state);
  const bool all = by_size.place(pods_in_order(problem, PodOrder::kSize)).empty();
  plan.steps = by_size.steps();
  if (all) return plan;
  State other(problem);
  FirstFit by_priority(other);
  by_priority.place(pods_in_order(problem, PodOrder::kPriorityThenSize));
  plan.steps += by_priority.steps();
  if (objective(other) < objective(plan.state)) plan.state = std::move(other);
  return plan;
}

}  // namespace

Solution solve(const Snapshot& snapshot, const SolveOptions& options) {
  const Problem problem = compile(snapshot, options);
  Plan best = first_fit(problem);
  best.steps += improve(best.state, options.improvement_steps);
  Solution solution = finish(best.state);
  solution.steps = best.steps;
  return solution;
}

}  // namespace tenon::scheduling
