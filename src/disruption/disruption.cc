// SPDX-License-Identifier: Apache-2.0
#include "disruption/disruption.h"

#include <algorithm>
#include <set>

#include "disruption/candidates.h"
#include "disruption/consolidatable.h"
#include "disruption/cost.h"
#include "disruption/drift.h"
#include "disruption/emptiness.h"
#include "disruption/headroom.h"
#include "disruption/projected_cluster.h"
#include "disruption/removal_evaluator.h"
#include "disruption/search.h"
#include "scheduling/input/solve_options.h"
#include "scheduling/solver.h"

namespace tenon::disruption {
namespace {

using scheduling::Snapshot;

// Returns whether the provisioner is about to launch nodes for waiting pods. Moves would compete with these pods for
// the same room.
bool launches_pending(const Snapshot& snapshot, const Options& options) {
  bool waiting = !snapshot.pending.empty();
  scheduling::SolveOptions solve = options.solve;
  solve.improvement_steps = 0;  // it matters only whether any node is launched
  for (const auto& node : snapshot.nodes) {
    if (!node.deleting()) continue;
    solve.removed_nodes.push_back(node.name());
    waiting |= !node.pods.empty();
  }
  return waiting && !scheduling::solve(snapshot, solve).new_nodes.empty();
}

std::map<std::string, int, std::less<>> count_eligible(const Snapshot& snapshot, const Options& options,
                                                       const std::vector<Candidate>& all) {
  std::map<std::string, int, std::less<>> out{{"Drifted", count_drifted(snapshot, options)}};
  for (const Candidate& candidate : all) {
    if (why_not_yet(snapshot, candidate)) continue;
    const bool only_empty = candidate.pool->pool->consolidation_policy == model::ConsolidationPolicy::kWhenEmpty;
    if (candidate.empty()) {
      ++out["Empty"];
    } else if (!only_empty && !adopted_lately(snapshot, options, candidate)) {
      ++out["Underutilized"];
    }
  }
  return out;
}

// Consolidates the nodes that the moves so far leave. `before`: the candidates of `now`, before these moves.
void consolidate(const Snapshot& now, const std::vector<Candidate>& before, const ProjectedCluster& projection,
                 Pass& pass) {
  const Snapshot& snapshot = projection.snapshot();
  const Options& options = projection.options();
  std::map<std::string, Kept> problems;
  const bool changed = &snapshot != &now;
  const auto left = changed ? candidates(snapshot, options, Patience::kGraceful, problems) : std::vector<Candidate>();
  const std::vector<Candidate>& all = changed ? left : before;
  for (auto& [name, why] : problems) {
    const bool ours = std::any_of(pass.moves.begin(), pass.moves.end(),
                                  [&, &node = name](const Move& m) { return m.pods_to_existing.contains(node); });
    if (ours) pass.kept[name] = {"Waiting", "Pods of another move come to this node", "node/" + name};
  }
  const BudgetLeft budget(snapshot, options, "Underutilized");
  const auto chosen = underutilized(snapshot, options, all, budget, pass.kept);
  if (chosen.empty()) return;
  if (launches_pending(snapshot, options)) {
    for (const Candidate& candidate : chosen) {
      pass.kept[candidate.name()] = {"Waiting", "Pods wait for nodes that are about to be launched",
                                     "node/" + candidate.name()};
    }
    return;
  }
  search_consolidation(snapshot, options, chosen, budget, pass);
}

// Numbers the moves, and records a reason for every managed node that stays.
void finish(const Snapshot& snapshot, Pass& pass) {
  std::set<std::string> going;
  for (size_t i = 0; i < pass.moves.size(); ++i) {
    pass.moves[i].id = "move-" + std::to_string(i);
    going.insert(pass.moves[i].nodes.begin(), pass.moves[i].nodes.end());
  }
  std::erase_if(pass.kept, [&](const auto& entry) { return going.contains(entry.first); });
  for (const auto& node : snapshot.nodes) {
    const std::string& name = node.name();
    if (!node.managed() || going.contains(name)) continue;
    pass.kept.try_emplace(name, Kept{"Cheapest", "No move of this node would save money now", "node/" + name});
  }
}

}  // namespace

std::string_view to_string(Method method) {
  switch (method) {
    case Method::kEmptiness: return "emptiness";
    case Method::kDrift: return "drift";
    case Method::kStaticDrift: return "static-drift";
    case Method::kMultiNodeConsolidation:
    case Method::kSingleNodeConsolidation: return "consolidation";
  }
  return "";
}

bool needs_validation(Method method) { return method != Method::kDrift && method != Method::kStaticDrift; }

model::Price gain_of(const Move& move, model::Price node_price) {
  const auto fewer = static_cast<int64_t>(move.nodes.size()) - static_cast<int64_t>(move.replacements.size());
  return move.savings + model::Price(fewer * node_price.value());
}

void began(const Options& options, Method method) {
  if (options.observer) options.observer->began(method);
}

bool in_command(const Options& options, std::string_view node) {
  const auto has = [&](const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), node) != names.end();
  };
  return has(options.in_progress) ||
         std::any_of(options.waiting.begin(), options.waiting.end(), [&](const Move& move) { return has(move.nodes); });
}

Pass decide_disruption(const Snapshot& snapshot, const Options& asked) {
  Pass pass;
  began(asked, Method::kEmptiness);
  const Headroom held = headroom(snapshot, asked);
  Options options = asked;
  options.keep_placed = held.places;
  options.worth = required_savings(snapshot, options.solve.node_price);
  ProjectedCluster projection(snapshot, options);
  const auto add = [&](Move move) {
    projection.apply(move);
    pass.moves.push_back(std::move(move));
  };
  const std::vector<Candidate> all = candidates(snapshot, options, Patience::kGraceful, pass.kept);
  pass.eligible = count_eligible(snapshot, options, all);
  if (auto empty = find_empty(snapshot, options, all, held, pass.kept)) add(std::move(*empty));
  began(options, Method::kDrift);
  std::map<std::string, Kept> undrifted;  // why drifted nodes stay; replaces the reasons of other methods
  if (options.static_capacity) {
    std::vector<Move> of_static = find_static_drift(projection.snapshot(), projection.options(), undrifted);
    for (Move& move : of_static) add(std::move(move));
  }
  std::set<std::string> tried;
  for (int i = 0; i < kDriftMovesPerPass; ++i) {
    auto drifted = find_drifted(projection.snapshot(), projection.options(), tried, undrifted);
    if (!drifted) break;
    add(std::move(*drifted));
  }
  began(options, Method::kSingleNodeConsolidation);
  consolidate(snapshot, all, projection, pass);
  for (auto& [name, why] : undrifted) pass.kept[name] = std::move(why);
  finish(snapshot, pass);
  return pass;
}

std::optional<Move> without_node(const Snapshot& snapshot, const Options& options, const scheduling::NodeView& node) {
  const Candidate candidate{&node, nullptr, price_of_instance(snapshot, node), disruption_cost_milli(node)};
  Options all = options;
  all.keep_placed = headroom(snapshot, options).places;
  return evaluate_removal(snapshot, all, {&candidate}, ReplacementPrice::kAny).move;
}

}  // namespace tenon::disruption
