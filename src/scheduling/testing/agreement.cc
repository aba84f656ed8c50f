// SPDX-License-Identifier: Apache-2.0
#include "scheduling/testing/agreement.h"

#include <algorithm>

#include "scheduling/bound/lower_bound.h"
#include "scheduling/bound/relaxation.h"
#include "scheduling/check/check_solution.h"
#include "scheduling/reference/first_fit_decreasing.h"
#include "scheduling/reference/rules.h"
#include "scheduling/search_state/compile.h"
#include "scheduling/search_state/state.h"
#include "scheduling/solver.h"
#include "scheduling/testing/carry_out.h"
#include "scheduling/testing/drawn_cluster.h"
#include "scheduling/testing/tied_clusters.h"
#include "scheduling/what_if/what_if.h"

namespace tenon::scheduling::testing {
namespace {

// Returns the pod without the rules that count other pods.
PodPtr alone(const model::Pod& pod) {
  model::Pod plain = pod;
  plain.spec.edit().spread.clear();
  plain.spec.edit().affinity.required_pods.clear();
  plain.spec.edit().affinity.required_anti_pods.clear();
  return std::make_shared<model::Pod>(std::move(plain));
}

bool same_but_for_its_name(const model::Pod& a, const model::Pod& b) {
  model::Pod renamed = a;
  renamed.meta.name = b.meta.name;
  renamed.meta.uid = b.meta.uid;
  return renamed == b;
}

bool fits_some_form(const State& state, auto fits) {
  Ask ask;
  Fit fit;
  for (; ask.form < state.problem().classes[0].forms.size(); ++ask.form) {
    if (fits(ask, fit) == Verdict::kFits) return true;
  }
  return false;
}

}  // namespace

reference::Best reached(const Snapshot& snapshot, const Solution& solution) {
  reference::Best best;
  for (const PodPtr& pod : snapshot.pending) {
    if (solution.unschedulable.contains(pod->key())) ++best.unplaced[pod->spec->priority];
  }
  std::map<std::string, int> weights;
  const std::map<std::string, int> heaviest = reference::heaviest(snapshot);
  for (const PoolView& view : snapshot.pools) weights[view.pool->meta.name] = view.pool->weight;
  for (const PlannedNode& node : solution.new_nodes) {
    for (const std::string& pod : node.pods) best.lightness += heaviest.at(pod) - weights.at(node.pool);
  }
  best.price = solution.price;
  best.nodes = solution.new_nodes.size();
  return best;
}

std::string describe(const reference::Best& best) {
  std::string text = model::format_usd(best.price) + " for " + std::to_string(best.nodes) + " nodes, lightness " +
                     std::to_string(best.lightness) + ", left behind:";
  for (const auto& [priority, pods] : best.unplaced) {
    text += " " + std::to_string(pods) + " of priority " + std::to_string(priority);
  }
  return text;
}

std::string describe(const Solution& solution) {
  std::string text;
  for (const PlannedNode& node : solution.new_nodes) {
    text +=
        node.pool + " " + node.launch.instance_type + " " + node.launch.zone + " " + node.launch.capacity_type + ":";
    for (const std::string& pod : node.pods) text += " " + pod;
    text += "\n";
  }
  for (const auto& [node, pods] : solution.existing) {
    text += node + ":";
    for (const std::string& pod : pods) text += " " + pod;
    text += "\n";
  }
  for (const auto& [pod, why] : solution.unschedulable) text += pod + " stays: " + why.message + "\n";
  return text;
}

std::string compare_pairs(const Snapshot& snapshot) {
  Snapshot one = snapshot;
  for (PoolView& view : one.pools) {
    model::NodePool pool = *view.pool;
    pool.limits.reset();
    view.pool = std::make_shared<model::NodePool>(std::move(pool));
  }
  for (NodeView& view : one.nodes) {
    for (PodPtr& pod : view.pods.edit()) pod = alone(*pod);
  }
  std::string text;
  std::vector<PodPtr> seen;
  for (const PodPtr& pod : snapshot.pending) {
    if (std::any_of(seen.begin(), seen.end(), [&](const PodPtr& s) { return same_but_for_its_name(*s, *pod); }))
      continue;
    seen.push_back(pod);
    one.pending = {alone(*pod)};
    const Problem problem = compile(one, {});
    const State state(problem);
    const auto compare = [&](const std::string& place, bool mine, bool theirs) {
      if (mine != theirs) text += pod->key() + (mine ? " must not go to " : " may go to ") + place + "\n";
    };
    for (const NodeView& view : one.nodes) {
      const auto at =
          std::find_if(problem.nodes.begin(), problem.nodes.end(), [&](const auto& n) { return n.view == &view; });
      const auto bin = static_cast<size_t>(at - problem.nodes.begin());
      const bool mine = at != problem.nodes.end() &&
                        fits_some_form(state, [&](const Ask& ask, Fit& fit) { return state.fits(bin, ask, fit); });
      compare("node " + view.name(), mine, reference::feasible(one, *one.pending.front(), view));
    }
    for (const PoolView& view : one.pools) {
      const auto at = std::find_if(problem.pools.begin(), problem.pools.end(),
                                   [&](const auto& p) { return p.pool == view.pool.get(); });
      const auto pool = static_cast<size_t>(at - problem.pools.begin());
      const bool mine = at != problem.pools.end() &&
                        fits_some_form(state, [&](const Ask& ask, Fit& fit) { return state.fits_new(pool, ask, fit); });
      compare("pool " + view.pool->meta.name, mine, reference::feasible(one, *one.pending.front(), view));
    }
  }
  return text;
}

namespace {

std::string placed_by(const Solution& solution) {
  std::string text;
  for (const auto& [pod, why] : solution.unschedulable) text += pod + " ";
  return text;
}

std::string compare_best(const Snapshot& snapshot, const Solution& solution) {
  const reference::Best mine = reached(snapshot, solution);
  const bool limits = std::any_of(snapshot.pools.begin(), snapshot.pools.end(),
                                  [](const PoolView& v) { return v.pool->limits.has_value(); });
  const auto best = reference::brute_force(snapshot, mine);
  if (!best) return describe(mine) + " is better than can be\n" + describe(solution);
  const model::Price bound = lower_bound(snapshot, {}, solution).price;
  if (bound > (best->unplaced.empty() ? best->price : mine.price))
    return model::format_usd(bound) + " is no bound of " + describe(*best) + "\n" + describe(solution);
  if (*best == mine || limits) return {};
  return describe(mine) + "; best is " + describe(*best) + "\n" + describe(solution);
}

// The solver answers without the node; for the reference the node is being deleted and its pods are pending.
std::string compare_without(const Snapshot& snapshot, size_t node) {
  const SolveOptions options{.removed_nodes = {snapshot.nodes[node].name()}, .gone_nodes_are_domains = true};
  const Solution solution = solve(snapshot, options);
  if (const Status valid = check_solution(snapshot, options, solution); !valid)
    return valid.error().message + "\n" + describe(solution);
  Snapshot going = snapshot;
  going.nodes[node].marked_for_deletion = true;
  going.pending = going.nodes[node].pods;
  going.nodes[node].pods = {};
  return compare_best(going, solution);
}

// Checks that WhatIf::price_bound() is no more than the price of the new nodes.
std::string compare_at_least(const Snapshot& snapshot) {
  std::vector<std::string> names;
  for (const NodeView& view : snapshot.nodes) names.push_back(view.name());
  WhatIf world(snapshot, {}, names, {});
  std::vector<std::optional<model::Price>> caps{std::nullopt};
  for (const model::Price step : world.price_steps()) caps.emplace_back(step);
  for (const std::string& name : names) {
    const std::vector<size_t> node{*world.find(name)};
    for (const auto& below : caps) {
      const WhatIf::Answer answer = world.without(node, {.most = snapshot.nodes.size() + 5, .below = below});
      const model::Price least = world.price_bound(world.needs(node), below);
      if (answer.all_placed && least > answer.price)
        return name + ": " + model::format_usd(least) + " is no bound of " + model::format_usd(answer.price) + "\n";
    }
  }
  return {};
}

}  // namespace

std::string compare_bound(const Snapshot& snapshot, const SolveOptions& options, const Solution& solution) {
  const model::Price bound = lower_bound(snapshot, options, solution).price;
  const Problem problem = compile(snapshot, options);
  const bool bounds_all = !none_is_lighter(problem, solution);
  const auto judge = [&](const Solution& plan, const char* how) -> std::string {
    if (bound <= plan.price || placed_by(plan) != placed_by(solution)) return {};
    if (!bounds_all && !none_is_lighter(problem, plan)) return {};
    return model::format_usd(bound) + " is no bound of " + model::format_usd(plan.price) + how + "\n" + describe(plan);
  };
  SolveOptions first_fit = options, few_nodes = options, many_nodes = options;
  first_fit.improvement_steps = 0;
  few_nodes.node_price = *model::parse_price("0.05");
  many_nodes.node_price = {};
  std::string text = judge(solution, "");
  if (text.empty()) text = judge(solve(snapshot, first_fit), ", without improvement");
  if (text.empty()) text = judge(solve(snapshot, few_nodes), ", with dear nodes");
  if (text.empty()) text = judge(solve(snapshot, many_nodes), ", with nodes for free");
  return text;
}

std::string compare_drawn(uint64_t seed, const RandomSizes& sizes) {
  const DrawnCluster drawn = drawn_cluster(seed, sizes);
  SolveOptions options = drawn.options;
  options.explain = false;
  options.runners_up = 0;
  const Solution solution = solve(drawn.snapshot, options);
  if (const Status valid = check_solution(drawn.snapshot, options, solution); !valid)
    return valid.error().message + "\n" + describe(solution);
  return compare_bound(drawn.snapshot, options, solution);
}

std::string compare_optimum(const Snapshot& snapshot) {
  const Solution solution = solve(snapshot, {});
  if (const Status valid = check_solution(snapshot, {}, solution); !valid)
    return valid.error().message + "\n" + describe(solution);
  return compare_best(snapshot, solution);
}

std::string compare_what_if(uint64_t seed, int& asked) {
  RandomCluster c = random_cluster(seed, {.pods = 5, .types = 3});
  const Snapshot& before = c.cluster.build();
  Snapshot up = carry_out(before, solve(before, {}), "up-");
  up.pending.clear();
  for (size_t n = 0; n < up.nodes.size(); ++n) {
    if (up.nodes[n].pods.empty()) continue;
    ++asked;
    if (std::string text = compare_without(up, n); !text.empty()) return "without " + up.nodes[n].name() + ": " + text;
  }
  return compare_at_least(up);
}

std::string compare_random(uint64_t seed) {
  constexpr uint64_t kOneInIsLarge = 10;
  const RandomSizes small{.pods = 4, .types = 3}, large{};
  RandomCluster c = random_cluster(seed, seed % kOneInIsLarge == 0 ? large : small);
  const Snapshot& snapshot = c.cluster.build();
  return compare_pairs(snapshot) + compare_optimum(snapshot);
}

std::string compare_bound_volumes(uint64_t seed) {
  Cluster cluster = small_bound_cluster(seed);
  const Snapshot& snapshot = cluster.build();
  return compare_pairs(snapshot) + compare_optimum(snapshot);
}

std::string compare_tied(uint64_t seed) {
  Cluster small = small_tied_cluster(seed), large = feasible_cluster(seed);
  if (std::string text = compare_optimum(small.build()); !text.empty()) return text;
  const Snapshot& snapshot = large.build();
  const Solution solution = solve(snapshot, {});
  if (const Status valid = check_solution(snapshot, {}, solution); !valid)
    return valid.error().message + "\n" + describe(solution);
  return solution.unschedulable.empty() ? "" : "all could be placed\n" + describe(solution);
}

std::string compare_first_fit(uint64_t seed, const RandomSizes& sizes) {
  RandomCluster c = random_cluster(seed, sizes);
  const Snapshot& snapshot = c.cluster.build();
  if (reference::zone_rules(snapshot)) return {};
  const Solution solution = solve(snapshot, {});
  if (const Status valid = check_solution(snapshot, {}, solution); !valid) return valid.error().message;
  const reference::Best mine = reached(snapshot, solution);
  reference::Best theirs = reference::first_fit_decreasing(snapshot);
  theirs.nodes = std::max(theirs.nodes, mine.nodes);  // an additional node is fine if the sum is not higher
  return mine <= theirs ? "" : describe(mine) + "; first fit " + describe(theirs) + "\n" + describe(solution);
}

}  // namespace tenon::scheduling::testing
