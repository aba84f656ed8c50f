// Problem: replace nodes that no longer match their NodePool or node class, so that a faulty new version does not take
// down the pool.
//
// Method: drifted candidates without pods come first, then the longest drifted. Each needs a budget (reason Drifted),
// and its roll-out must not be held back:
//   - While a NodePool has no healthy node that has not drifted, only one of its nodes is replaced at a time. So an
//     image that cannot join costs one node.
//   - If the last nodes of the pool did not register (NodeRegistrationHealthy is False), no node is replaced.
// Then solve() places the node's pods, on other nodes or on new ones at any price. If some are unschedulable, the node
// stays and the next one is tried.
//
// A node of a static pool is replaced with one of the pool's template, without a placement of pods, as long as budgets,
// the limit "nodes" and max-nodes allow one node more, and the pool has no more nodes than replicas.
//
// Example: all 10 nodes of a pool drift, its budget is 30 %. The first pass replaces 1 node. The next passes keep the
// other 9 until the new node is ready. Then 3 nodes at a time are replaced.
//
// Cost: at most kDriftMovesPerPass moves in a pass; one solve() for each move and for each node whose pods do not fit.
// SPDX-License-Identifier: Apache-2.0
#include "disruption/drift.h"

#include <algorithm>

#include "disruption/cost.h"
#include "disruption/removal_evaluator.h"
#include "disruption/replacement.h"
#include "model/generations.h"
#include "model/labels.h"

namespace tenon::disruption {
namespace {

using scheduling::NodeView;
using scheduling::Snapshot;

constexpr std::string_view kReason = "Drifted";
constexpr std::string_view kHealthy = "NodeRegistrationHealthy";  // condition of a NodePool
constexpr std::string_view kNodes = "nodes";                      // in limits

Instant drifted_since(const Candidate& candidate) {
  return model::find_condition(candidate.node->claim->conditions, model::kDrifted)->last_transition;
}

// Nodes without pods first, then the longest drifted.
std::vector<Candidate> drifted(const Snapshot& snapshot, const Options& options, bool of_static_pools) {
  const bool any = std::any_of(snapshot.nodes.begin(), snapshot.nodes.end(),
                               [](const NodeView& n) { return n.claim && n.claim->is(model::kDrifted); });
  if (!any) return {};
  std::map<std::string, Kept> problems;
  std::vector<Candidate> all = candidates(snapshot, options, Patience::kEventual, problems);
  std::erase_if(all, [&](const Candidate& c) {
    return !c.node->claim->is(model::kDrifted) || c.pool->pool->replicas.has_value() != of_static_pools;
  });
  std::stable_sort(all.begin(), all.end(), [](const Candidate& a, const Candidate& b) {
    const bool a_empty = moves_no_pods(*a.node), b_empty = moves_no_pods(*b.node);
    if (a_empty != b_empty) return a_empty;
    return drifted_since(a) < drifted_since(b);
  });
  return all;
}

// The number of nodes of the pool that are being removed, and whether the pool has a healthy node that has not drifted.
struct RollOut {
  int going = 0;
  bool proven = false;
};

RollOut roll_out(const Snapshot& snapshot, const Options& options, std::string_view pool) {
  RollOut out;
  for (const NodeView& node : snapshot.nodes) {
    if (!node.managed() || node.pool() != pool) continue;
    if (node.deleting() || in_command(options, node.name())) {
      ++out.going;
    } else if (node.initialized() && node.node && node.node->ready() && !node.claim->is(model::kDrifted)) {
      out.proven = true;
    }
  }
  return out;
}

// Returns why the roll-out of the candidate's pool is held back now.
std::optional<Kept> held_back(const Snapshot& snapshot, const Options& options, const Candidate& candidate) {
  const model::NodePool& pool = *candidate.pool->pool;
  const std::string name = "NodePool \"" + pool.meta.name + "\"", object = model::pool_reference(pool.meta.name);
  if (model::condition_is(pool.conditions, kHealthy, "False")) {
    return Kept{"Waiting", name + " is not rolled out further: its last nodes did not register", object};
  }
  const RollOut found = roll_out(snapshot, options, pool.meta.name);
  if (!found.proven && found.going > 0) {
    return Kept{"Waiting", name + " is rolled out further when its first new node is ready", object};
  }
  return std::nullopt;
}

// With a terminationGracePeriod, pods that cannot be evicted stay until it ends; no node is launched for them before.
// So the solver gets the node as one that drains already.
Judgement replace(const Snapshot& snapshot, const Options& options, const Candidate& candidate) {
  if (!candidate.node->claim->termination_grace_period)
    return evaluate_removal(snapshot, options, {&candidate}, ReplacementPrice::kAny);
  Snapshot draining = snapshot;
  for (NodeView& node : draining.nodes) {
    if (node.name() == candidate.name()) node.marked_for_deletion = true;
  }
  return evaluate_removal(draining, options, {&candidate}, ReplacementPrice::kAny);
}

// `active`: NodeClaims of the static pool that stay. `room`: the number of nodes that the pool's limit still allows.
struct StaticPool {
  int64_t active = 0, room = INT64_MAX;
};

StaticPool count_nodes(const Snapshot& snapshot, const Options& options, const model::NodePool& pool) {
  StaticPool out;
  int64_t all = 0;
  for (const NodeView& node : snapshot.nodes) {
    if (!node.managed() || node.pool() != pool.meta.name) continue;
    ++all;
    const bool going = node.deleting() || in_command(options, node.name());
    out.active += going ? 0 : 1;
  }
  if (!pool.limits) return out;
  for (const auto& [name, amount] : pool.limits->entries()) {
    if (name == kNodes) out.room = std::max<int64_t>(0, amount - all);
  }
  return out;
}

}  // namespace

int count_drifted(const Snapshot& snapshot, const Options& options) {
  const size_t of_static = options.static_capacity ? drifted(snapshot, options, true).size() : 0;
  return static_cast<int>(drifted(snapshot, options, false).size() + of_static);
}

std::optional<Move> find_drifted(const Snapshot& snapshot, const Options& options, std::set<std::string>& tried,
                                 std::map<std::string, Kept>& kept) {
  const BudgetLeft budget(snapshot, options, kReason);
  for (const Candidate& candidate : drifted(snapshot, options, false)) {
    const std::string& name = candidate.name();
    if (tried.contains(name)) continue;
    if (budget.left(candidate.node->pool()) == 0) {
      kept[name] = budget.blocked(candidate.node->pool());
      continue;
    }
    if (auto why = held_back(snapshot, options, candidate)) {
      kept[name] = std::move(*why);
      continue;
    }
    Judgement judgement = replace(snapshot, options, candidate);
    if (!judgement.move) {
      tried.insert(name);
      kept[name] = {"DisruptionBlocked", judgement.why_not, "node/" + name};
      continue;
    }
    judgement.move->reason = kReason;
    judgement.move->method = Method::kDrift;
    return std::move(judgement.move);
  }
  return std::nullopt;
}

std::vector<Move> find_static_drift(const Snapshot& snapshot, const Options& options,
                                    std::map<std::string, Kept>& kept) {
  std::vector<Move> moves;
  BudgetLeft budget(snapshot, options, kReason);
  std::map<std::string, StaticPool> pools;
  int64_t cluster_room = options.solve.max_nodes ? *options.solve.max_nodes - snapshot.size() : INT64_MAX;
  for (const Candidate& candidate : drifted(snapshot, options, true)) {
    const model::NodePool& pool = *candidate.pool->pool;
    const std::string& name = candidate.name();
    const std::string object = model::pool_reference(pool.meta.name);
    StaticPool& count = pools.try_emplace(pool.meta.name, count_nodes(snapshot, options, pool)).first->second;
    if (budget.left(pool.meta.name) == 0) {
      kept[name] = budget.blocked(pool.meta.name);
    } else if (count.active > *pool.replicas) {
      kept[name] = {"Waiting", "NodePool \"" + pool.meta.name + "\" has more nodes than replicas", object};
    } else if (count.room == 0) {
      kept[name] = {"Waiting", "NodePool \"" + pool.meta.name + "\" has no room for a replacement in its limits",
                    object};
    } else if (cluster_room <= 0) {
      kept[name] = {"Waiting",
                    "The cluster has no room for a replacement in its limit of " +
                        std::to_string(*options.solve.max_nodes) + " nodes (max-nodes)",
                    object};
    } else if (auto node = like_the_template(*candidate.pool)) {
      budget.take(candidate);
      --count.room;
      --cluster_room;
      Move move{.reason = std::string(kReason), .method = Method::kStaticDrift, .nodes = {name}};
      move.savings = candidate.price;
      move.savings -= node->launch.price;
      move.disruption_cost_milli = candidate.cost_milli;
      node->id = "new-0";
      move.replacements.push_back(std::move(*node));
      moves.push_back(std::move(move));
    } else {
      kept[name] = {"DisruptionBlocked", "NodePool \"" + pool.meta.name + "\" has no instance type to launch", object};
    }
  }
  return moves;
}

}  // namespace tenon::disruption
