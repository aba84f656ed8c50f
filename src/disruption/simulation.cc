// SPDX-License-Identifier: Apache-2.0
#include "disruption/simulation.h"

#include <algorithm>
#include <set>

#include "disruption/cost.h"
#include "disruption/replacement.h"

namespace tenon::disruption {
namespace {

using scheduling::NodeView;
using scheduling::PlannedNode;
using scheduling::Snapshot;
using scheduling::Solution;

const model::NodePool* find_pool(const Snapshot& snapshot, std::string_view name) {
  for (const auto& view : snapshot.pools) {
    if (view.pool->meta.name == name) return view.pool.get();
  }
  return nullptr;
}

std::set<std::string> moving_pods(const std::vector<const Candidate*>& nodes) {
  std::set<std::string> keys;
  for (const Candidate* candidate : nodes) {
    for (const auto& pod : candidate->node->pods) {
      if (reschedulable(*pod)) keys.insert(pod->key());
    }
  }
  return keys;
}

// Nodes that displaced pods may not go to: not ready for pods yet, or their own pods changed a moment ago.
bool closed_to_displaced(const Snapshot& snapshot, const NodeView& node) {
  if (!node.managed()) return false;
  if (!node.initialized()) return true;
  const model::NodePool* pool = find_pool(snapshot, node.pool());
  return pool && pool->consolidate_after && !pool->replicas && !node.claim->is(model::kConsolidatable);
}

std::string unplaced_sentence(const Solution& solution, const std::set<std::string>& moving) {
  constexpr size_t kNamed = 5;
  std::string text;
  size_t count = 0;
  for (const auto& [key, why] : solution.unschedulable) {
    if (!moving.contains(key)) continue;
    if (++count <= kNamed) text += key + " => " + why.message + " ";
  }
  if (count == 0) return "";
  if (count > kNamed) text += "and " + std::to_string(count - kNamed) + " other(s) ";
  return "Not all pods would schedule, " + text;
}

scheduling::SolveOptions solve_options(const Snapshot& snapshot, const Options& options,
                                       const std::vector<const Candidate*>& nodes, Buy buy) {
  scheduling::SolveOptions solve = options.solve;
  std::set<std::string> gone(options.in_progress.begin(), options.in_progress.end());
  for (const NodeView& node : snapshot.nodes) {
    if (node.deleting()) gone.insert(node.name());
    if (buy != Buy::kAnything && closed_to_displaced(snapshot, node)) solve.closed_nodes.push_back(node.name());
  }
  for (const Candidate* candidate : nodes) gone.insert(candidate->name());
  solve.without_nodes.assign(gone.begin(), gone.end());
  solve.may_launch = buy != Buy::kNothing;
  // Two small nodes for less than one large one are no help where only one may be bought.
  if (buy != Buy::kAnything) solve.improvement_steps = 0;
  if (buy == Buy::kOneCheaper) {
    model::Price paid;
    for (const Candidate* candidate : nodes) paid += candidate->price;
    solve.launch_below = paid;
  }
  return solve;
}

}  // namespace

Judgement simulate(const Snapshot& snapshot, const Options& options, const std::vector<const Candidate*>& nodes,
                   Buy buy) {
  const std::set<std::string> moving = moving_pods(nodes);
  const Solution solution = scheduling::solve(snapshot, solve_options(snapshot, options, nodes, buy));
  std::set<std::string> placed = options.keep_placed;
  placed.insert(moving.begin(), moving.end());
  if (std::string text = unplaced_sentence(solution, placed); !text.empty()) return {std::nullopt, text};

  Move move;
  for (const Candidate* candidate : nodes) {
    move.nodes.push_back(candidate->name());
    move.savings += candidate->price;
    move.disruption_cost_milli += candidate->cost_milli;
  }
  for (const auto& [name, keys] : solution.existing) {
    std::vector<std::string> ours;
    std::copy_if(keys.begin(), keys.end(), std::back_inserter(ours),
                 [&](const auto& key) { return moving.contains(key); });
    if (ours.empty()) continue;
    move.pods_to_existing[name] = std::move(ours);
  }
  for (const PlannedNode& node : solution.new_nodes) {
    const bool for_us =
        std::any_of(node.pods.begin(), node.pods.end(), [&](const auto& key) { return placed.contains(key); });
    if (for_us) move.replacements.push_back(node);
  }
  if (buy == Buy::kOneCheaper && move.replacements.size() > 1) {
    return {std::nullopt, "Can't remove without creating " + std::to_string(move.replacements.size()) + " candidates"};
  }
  if (buy == Buy::kOneCheaper && !move.replacements.empty()) {
    const std::string why = make_cheaper(snapshot, options, nodes, move.replacements);
    if (!why.empty()) return {std::nullopt, why};
  }
  for (const PlannedNode& node : move.replacements) move.savings -= node.launch.price;
  if (buy == Buy::kOneCheaper) {
    if (std::string why = objection(options.worth, nodes, move.savings); !why.empty()) return {std::nullopt, why};
    move.approved = approvals(options.worth, nodes, move.savings);
  }
  std::sort(move.nodes.begin(), move.nodes.end());
  return {std::move(move), ""};
}

}  // namespace tenon::disruption
