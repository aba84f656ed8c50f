// SPDX-License-Identifier: Apache-2.0
#include "disruption/simulation.h"

#include <algorithm>
#include <set>

#include "disruption/cost.h"
#include "model/labels.h"

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

// The dearest offering that EC2 might pick of the class that it would be launched from: reserved, else spot, else
// on-demand. Nothing if the node leaves none open.
std::optional<model::Price> worst_launch_price(const model::InstanceType& type,
                                               const model::Requirements& requirements) {
  const auto zones = requirements.get(model::kLabelZone), kinds = requirements.get(model::kLabelCapacityType);
  for (const std::string_view kind : {std::string_view("reserved"), model::kCapacitySpot, model::kCapacityOnDemand}) {
    std::optional<model::Price> worst;
    for (const model::Offering& o : type.offerings) {
      const bool open = o.available && o.capacity_type == kind && kinds.allows(kind) && zones.allows(o.zone);
      if (open && (!worst || o.price > *worst)) worst = o.price;
    }
    if (worst) return worst;
  }
  return std::nullopt;
}

const model::InstanceType* find_type(const Snapshot& snapshot, const std::string& pool, const std::string& name) {
  for (const auto& view : snapshot.pools) {
    if (view.pool->meta.name != pool || !view.types) continue;
    for (const auto& type : *view.types) {
      if (type.name == name) return &type;
    }
  }
  return nullptr;
}

void choose_launch(const Snapshot& snapshot, PlannedNode& node) {
  const auto zones = node.requirements.get(model::kLabelZone);
  const auto kinds = node.requirements.get(model::kLabelCapacityType);
  const model::Offering* best = nullptr;
  const std::string* best_type = nullptr;
  for (const std::string& name : node.instance_types) {
    const auto* type = find_type(snapshot, node.pool, name);
    if (!type) continue;
    for (const model::Offering& o : type->offerings) {
      if (!o.available || !kinds.allows(o.capacity_type) || !zones.allows(o.zone)) continue;
      if (!best || std::tie(o.price, name, o.zone) < std::tie(best->price, *best_type, best->zone)) {
        best = &o;
        best_type = &name;
      }
    }
  }
  if (best)
    node.launch = {*best_type, best->zone, best->zone_id, best->capacity_type, best->reservation_id, best->price};
}

bool min_values_hold(const Snapshot& snapshot, const PlannedNode& node) {
  for (const auto& [key, requirement] : node.requirements.by_key()) {
    if (!requirement.min_values()) continue;
    std::set<std::string> seen;
    for (const std::string& name : node.instance_types) {
      const auto* type = find_type(snapshot, node.pool, name);
      const auto values =
          type ? type->labels.find(key) : std::map<std::string, std::vector<std::string>>::const_iterator();
      if (!type || values == type->labels.end()) continue;
      for (const std::string& value : values->second) {
        if (requirement.allows(value)) seen.insert(value);
      }
    }
    if (static_cast<int>(seen.size()) < *requirement.min_values()) return false;
  }
  return true;
}

constexpr size_t kSpotToSpotTypes = 15;  // cheaper types that a single spot node's replacement must leave open

// Narrows the replacement to what is cheaper than the nodes that go, whatever EC2 picks. The sentence says why it
// cannot.
std::string make_cheaper(const Snapshot& snapshot, const Options& options, const std::vector<const Candidate*>& nodes,
                         PlannedNode& node) {
  model::Price paid;
  bool all_spot = true;
  for (const Candidate* candidate : nodes) {
    paid += candidate->price;
    all_spot &= model::lookup(candidate->node->labels(), model::kLabelCapacityType) == model::kCapacitySpot;
  }
  const auto kinds = node.requirements.get(model::kLabelCapacityType);
  const bool may_spot = kinds.allows(model::kCapacitySpot);
  if (all_spot && may_spot) {
    if (!options.spot_to_spot) return "SpotToSpotConsolidation is disabled, can't replace a spot node with a spot node";
    node.requirements.add(model::Requirement::in(model::kLabelCapacityType, {std::string(model::kCapacitySpot)}));
  }
  std::vector<std::string> types = node.instance_types;
  std::erase_if(types, [&](const std::string& name) {
    const auto* type = find_type(snapshot, node.pool, name);
    const auto worst = type ? worst_launch_price(*type, node.requirements) : std::nullopt;
    return !worst || *worst >= paid;
  });
  node.instance_types = types;
  if (node.instance_types.empty()) return "Can't replace with a cheaper node";
  if (!min_values_hold(snapshot, node)) return "Can't replace with a cheaper node: minValues would not hold";
  if (all_spot && may_spot && nodes.size() == 1) {
    if (node.instance_types.size() < kSpotToSpotTypes) {
      return "SpotToSpotConsolidation requires 15 cheaper instance type options than the current candidate to "
             "consolidate, "
             "got " +
             std::to_string(node.instance_types.size());
    }
    types.resize(kSpotToSpotTypes);
    node.instance_types = types;
  }
  if (may_spot && kinds.allows(model::kCapacityOnDemand) && !all_spot) {
    node.requirements.add(model::Requirement::in(model::kLabelCapacityType, {std::string(model::kCapacitySpot)}));
    std::erase_if(types, [&](const std::string& name) {
      return !worst_launch_price(*find_type(snapshot, node.pool, name), node.requirements);
    });
    node.instance_types = types;
    if (node.instance_types.empty()) return "Can't replace with a cheaper node";
  }
  choose_launch(snapshot, node);
  return "";
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
  if (buy == Buy::kOneCheaper && move.replacements.size() == 1) {
    const std::string why = make_cheaper(snapshot, options, nodes, move.replacements.front());
    if (!why.empty()) return {std::nullopt, why};
  }
  for (const PlannedNode& node : move.replacements) move.savings -= node.launch.price;
  std::sort(move.nodes.begin(), move.nodes.end());
  return {std::move(move), ""};
}

}  // namespace tenon::disruption
