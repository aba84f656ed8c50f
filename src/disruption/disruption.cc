// SPDX-License-Identifier: Apache-2.0
#include "disruption/disruption.h"

#include <algorithm>
#include <set>

#include "disruption/candidates.h"
#include "disruption/cost.h"
#include "disruption/headroom.h"
#include "disruption/search.h"
#include "disruption/simulation.h"
#include "model/labels.h"

namespace tenon::disruption {
namespace {

using model::ConsolidationPolicy;
using scheduling::Snapshot;

constexpr std::string_view kEmpty = "Empty", kUnderutilized = "Underutilized", kDrifted = "Drifted";

std::string quoted(std::string_view name) { return "\"" + std::string(name) + "\""; }

// Why consolidation may not touch this node although nothing blocks its disruption; empty if it may.
std::string policy_problem(const Candidate& candidate) {
  const model::NodePool& pool = *candidate.pool->pool;
  const model::StringMap labels = candidate.node->labels();
  const std::string_view type = model::lookup(labels, model::kLabelInstanceType);
  const auto& types = *candidate.pool->types;
  const bool known = std::any_of(types.begin(), types.end(), [&](const auto& t) { return t.name == type; });
  if (!known) return "Instance Type " + quoted(type) + " not found";
  for (const std::string_view label : {model::kLabelCapacityType, model::kLabelZone}) {
    if (model::lookup(labels, label).empty()) return "Node does not have label " + quoted(label);
  }
  if (!pool.consolidate_after) return "NodePool " + quoted(pool.meta.name) + " has consolidation disabled";
  if (pool.consolidation_policy == ConsolidationPolicy::kWhenEmpty) {
    return "NodePool " + quoted(pool.meta.name) + " has consolidation policy WhenEmpty, but node is not empty";
  }
  return "";
}

bool counts_as_empty(const Candidate& candidate) {
  return candidate.pool->pool->consolidate_after && !candidate.pool->pool->replicas && is_empty(*candidate.node) &&
         consolidatable(candidate);
}

// All empty nodes that the budgets let go, as one move.
std::optional<Move> find_empty(const Snapshot& snapshot, const Options& options, const std::vector<Candidate>& all,
                               const Headroom& held, std::map<std::string, Kept>& kept) {
  BudgetLeft budget(snapshot, options, kEmpty);
  Move move;
  move.reason = kEmpty;
  move.method = Method::kEmptiness;
  for (const Candidate& candidate : all) {
    if (counts_as_empty(candidate) && held.nodes.contains(candidate.name())) {
      kept[candidate.name()] = {"Unconsolidatable", "Node " + quoted(candidate.name()) + " has buffer pods",
                                "node/" + candidate.name()};
      continue;
    }
    if (!counts_as_empty(candidate) || budget.left(candidate.node->pool()) == 0) continue;
    budget.take(candidate);
    move.nodes.push_back(candidate.name());
    move.savings += candidate.price;
    move.disruption_cost_milli += candidate.cost_milli;
  }
  if (move.nodes.empty()) return std::nullopt;
  return move;
}

Instant drifted_since(const Candidate& candidate) {
  return model::find_condition(candidate.node->claim->conditions, model::kDrifted)->last_transition;
}

// The node that drifted first and whose pods find a place; whatever that costs.
std::optional<Move> find_drifted(const Snapshot& snapshot, const Options& options, std::map<std::string, Kept>& kept) {
  std::map<std::string, Kept> ignored;
  std::vector<Candidate> drifted = candidates(snapshot, options, Patience::kEventual, ignored);
  std::erase_if(drifted,
                [](const Candidate& c) { return !c.node->claim->is(model::kDrifted) || c.pool->pool->replicas; });
  std::stable_sort(drifted.begin(), drifted.end(), [](const Candidate& a, const Candidate& b) {
    const bool a_empty = is_empty(*a.node), b_empty = is_empty(*b.node);
    if (a_empty != b_empty) return a_empty;
    return drifted_since(a) < drifted_since(b);
  });
  const BudgetLeft budget(snapshot, options, kDrifted);
  for (const Candidate& candidate : drifted) {
    if (budget.left(candidate.node->pool()) == 0) continue;
    Judgement judgement = simulate(snapshot, options, {&candidate}, Buy::kAnything);
    if (!judgement.move) {
      kept[candidate.name()] = {"DisruptionBlocked", judgement.why_not, "node/" + candidate.name()};
      continue;
    }
    judgement.move->reason = kDrifted;
    judgement.move->method = Method::kDrift;
    return std::move(judgement.move);
  }
  return std::nullopt;
}

std::vector<Candidate> underutilized(const std::vector<Candidate>& all, std::map<std::string, Kept>& kept) {
  std::vector<Candidate> chosen;
  for (const Candidate& candidate : all) {
    if (is_empty(*candidate.node) || candidate.pool->pool->replicas) continue;
    if (const std::string problem = policy_problem(candidate); !problem.empty()) {
      kept[candidate.name()] = {"Unconsolidatable", problem, "nodepool/" + candidate.pool->pool->meta.name};
    } else if (consolidatable(candidate)) {
      chosen.push_back(candidate);
    }
  }
  return chosen;
}

// Pods wait for nodes that the provisioner is about to buy: moving others now would fight over the same room.
bool about_to_buy(const Snapshot& snapshot, const Options& options) {
  bool waiting = !snapshot.pending.empty();
  scheduling::SolveOptions solve = options.solve;
  for (const auto& node : snapshot.nodes) {
    if (!node.deleting()) continue;
    solve.without_nodes.push_back(node.name());
    waiting |= !node.pods.empty();
  }
  return waiting && !scheduling::solve(snapshot, solve).new_nodes.empty();
}

void number(std::vector<Move>& moves) {
  for (size_t i = 0; i < moves.size(); ++i) moves[i].id = "move-" + std::to_string(i);
}

// The move's nodes as candidates of now; fails if one of them no longer is one.
Result<std::vector<Candidate>> still_candidates(const Snapshot& snapshot, const Options& options, const Move& move) {
  std::map<std::string, Kept> kept;
  const auto all = candidates(snapshot, options, Patience::kGraceful, kept);
  std::vector<Candidate> mine;
  for (const std::string& name : move.nodes) {
    const auto at = std::find_if(all.begin(), all.end(), [&](const Candidate& c) { return c.name() == name; });
    if (at == all.end()) {
      const auto why = kept.find(name);
      return fail(Code::kConflict, "node " + name + ": " + (why == kept.end() ? "has gone" : why->second.message));
    }
    mine.push_back(*at);
  }
  return mine;
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

Pass decide_disruption(const Snapshot& snapshot, const Options& asked) {
  Pass pass;
  const Headroom held = headroom(snapshot, asked);
  Options options = asked;
  options.keep_placed = held.pods;
  const std::vector<Candidate> all = candidates(snapshot, options, Patience::kGraceful, pass.kept);
  if (auto empty = find_empty(snapshot, options, all, held, pass.kept)) {
    pass.moves.push_back(std::move(*empty));
  } else if (auto drifted = find_drifted(snapshot, options, pass.kept)) {
    pass.moves.push_back(std::move(*drifted));
  } else {
    const auto chosen = underutilized(all, pass.kept);
    if (!chosen.empty() && !about_to_buy(snapshot, options)) {
      const BudgetLeft budget(snapshot, options, kUnderutilized);
      pass.moves = search_consolidation(snapshot, options, chosen, budget, pass.kept);
    }
  }
  for (const Move& move : pass.moves) {
    for (const std::string& name : move.nodes) pass.kept.erase(name);
  }
  number(pass.moves);
  return pass;
}

Status still_valid(const Snapshot& snapshot, const Options& asked, const Move& move) {
  const Headroom held = headroom(snapshot, asked);
  Options options = asked;
  options.keep_placed = held.pods;
  const std::vector<Candidate> mine = TRY(still_candidates(snapshot, options, move));
  std::vector<const Candidate*> nodes;
  for (const Candidate& candidate : mine) nodes.push_back(&candidate);
  const BudgetLeft budget(snapshot, options, move.reason);
  if (!budget.allows(nodes)) return fail(Code::kConflict, "the budgets no longer allow it");
  if (move.method == Method::kEmptiness) {
    for (const Candidate& candidate : mine) {
      if (!counts_as_empty(candidate) || held.nodes.contains(candidate.name()))
        return fail(Code::kConflict, "node " + candidate.name() + " is in use again");
    }
    return ok();
  }
  for (const Candidate& candidate : mine) {
    if (!consolidatable(candidate)) return fail(Code::kConflict, "pods of node " + candidate.name() + " changed");
  }
  const Judgement now = simulate(snapshot, options, nodes, Buy::kOneCheaper);
  if (!now.move) return fail(Code::kConflict, now.why_not);
  if (now.move->replacements.size() != move.replacements.size()) {
    return fail(Code::kConflict, "another number of replacements is needed now");
  }
  if (!move.replacements.empty()) {
    const auto& possible = now.move->replacements.front().instance_types;
    const std::set<std::string> types(possible.begin(), possible.end());
    for (const std::string& type : move.replacements.front().instance_types) {
      if (!types.contains(type)) return fail(Code::kConflict, "instance type " + type + " no longer fits");
    }
  }
  if (now.move->savings <= model::Price()) return fail(Code::kConflict, "it no longer saves money");
  return ok();
}

}  // namespace tenon::disruption
