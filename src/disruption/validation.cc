// Problem: a move starts only some time after it was found (15 s in controllers/disruption), so that short changes of
// the load do not cause disruptions. By then pods, nodes, prices and budgets may have changed.
//
// Method, on the present snapshot:
//   - Empty nodes are validated one by one. Those that are in use again stay; the others are removed.
//   - Any other move is accepted or rejected as a whole. Its nodes must still be candidates, Consolidatable, not
//   adopted
//     lately and within the budgets. evaluate_removal() judges the same nodes again: it must need the same number of
//     replacements, allow every instance type of the move for them, and gain money. If the move launches several nodes,
//     a failure is followed by repack(), because only a search may find such a plan.
//   - Pods that are counted on nodes that have not joined become pending pods: kube-scheduler may bind them to
//     other nodes first.
// The move that starts has the replacements of the new judgement. The percentages of command.h are not applied again.
//
// Example: a move replaces two nodes with an m5.large or a c5.large. Meanwhile the room that another node had for one
// of their pods is used, so that only an m5.large holds the rest. The move is rejected (reason scheduling: "instance
// type c5.large no longer fits"), and the next pass decides again.
//
// Cost: one headroom, one compilation of the cluster and one judgement; for several replacements also one solve().
// SPDX-License-Identifier: Apache-2.0
#include "disruption/validation.h"

#include <algorithm>
#include <set>

#include "disruption/candidates.h"
#include "disruption/consolidatable.h"
#include "disruption/emptiness.h"
#include "disruption/headroom.h"
#include "disruption/removal_evaluator.h"

namespace tenon::disruption {
namespace {

using scheduling::NodeView;
using scheduling::Snapshot;

constexpr std::string_view kChurn = "churn", kBudget = "budget", kScheduling = "scheduling";

Validation rejected(std::string_view reason, std::string message) {
  return {std::nullopt, std::string(reason), std::move(message)};
}

// Returns the nodes of the move that are still candidates. Sets `lost` to the reason of the first node that is not.
std::vector<Candidate> still_candidates(const Snapshot& snapshot, const Options& options, const Move& move,
                                        Validation& lost) {
  std::map<std::string, Kept> kept;
  const auto all = candidates(snapshot, options, Patience::kGraceful, kept);
  std::vector<Candidate> mine;
  for (const std::string& name : move.nodes) {
    const auto at = std::find_if(all.begin(), all.end(), [&](const Candidate& c) { return c.name() == name; });
    if (at != all.end()) {
      mine.push_back(*at);
      continue;
    }
    if (!lost.message.empty()) continue;
    const auto why = kept.find(name);
    // Pods are about to be bound to a nominated node. Karpenter reports that under the reason budget.
    const bool nominated = why != kept.end() && why->second.message.starts_with("Node is nominated");
    lost = rejected(nominated ? kBudget : kChurn,
                    "node " + name + ": " + (why == kept.end() ? "has gone" : why->second.message));
  }
  return mine;
}

// Validates each node by itself: nodes that are in use again do not keep the others.
Validation still_empty(const Snapshot& snapshot, const Options& options, const Headroom& held,
                       const std::vector<Candidate>& mine, const Move& move, Validation lost) {
  BudgetLeft budget(snapshot, options, move.reason);
  Move now = move;
  now.nodes.clear();
  now.savings = model::Price();
  now.disruption_cost_milli = 0;
  for (const Candidate* each : most_saving_first(mine)) {
    const Candidate& candidate = *each;
    const bool empty = counts_as_empty(candidate) && !held.nodes.contains(candidate.name());
    const bool allowed = budget.left(candidate.node->pool()) > 0;
    if (empty && allowed) {
      budget.take(candidate);
      now.nodes.push_back(candidate.name());
      now.savings += candidate.price;
      now.disruption_cost_milli += candidate.cost_milli;
    } else if (lost.message.empty()) {
      lost = empty ? rejected(kBudget, "the budgets no longer allow it")
                   : rejected(kChurn, "node " + candidate.name() + " is in use again");
    }
  }
  std::sort(now.nodes.begin(), now.nodes.end());
  if (!now.nodes.empty()) lost.move = std::move(now);
  return lost;
}

// Returns the snapshot with the pods of nodes that have not joined as pending pods: the snapshot assigns these pods to
// such nodes because an earlier move plans so, but kube-scheduler may bind them to other nodes. Returns std::nullopt if
// there are no such pods.
std::optional<Snapshot> unbind(const Snapshot& snapshot) {
  const auto waits = [](const NodeView& node) { return !node.node && !node.pods.empty(); };
  if (std::none_of(snapshot.nodes.begin(), snapshot.nodes.end(), waits)) return std::nullopt;
  Snapshot unbound = snapshot;
  for (NodeView& node : unbound.nodes) {
    if (!waits(node)) continue;
    unbound.pending.insert(unbound.pending.end(), node.pods.begin(), node.pods.end());
    node.pods = {};
  }
  return unbound;
}

// Returns why the present judgement rejects the move. Empty: the same instance types still fit, and it saves money.
std::string differs(const Move& move, const Judgement& now, model::Price node_price) {
  if (!now.move) return now.why_not;
  if (now.move->replacements.size() != move.replacements.size()) return "another number of replacements is needed now";
  for (size_t i = 0; i < move.replacements.size(); ++i) {
    const auto& possible = now.move->replacements[i].instance_types;
    const std::set<std::string> types(possible.begin(), possible.end());
    for (const std::string& type : move.replacements[i].instance_types) {
      if (!types.contains(type)) return "instance type " + type + " no longer fits";
    }
  }
  return gain_of(*now.move, node_price) > model::Price() ? "" : "it no longer saves money";
}

}  // namespace

Validation validate_move(const Snapshot& snapshot, const Options& asked, const Move& move) {
  const Headroom held = headroom(snapshot, asked);
  Options options = asked;
  options.keep_placed = held.places;
  options.worth = required_savings(snapshot, options.solve.node_price);
  Validation lost;
  const std::vector<Candidate> mine = still_candidates(snapshot, options, move, lost);
  if (move.method == Method::kEmptiness) return still_empty(snapshot, options, held, mine, move, std::move(lost));
  if (!lost.message.empty()) return lost;
  std::vector<const Candidate*> nodes;
  for (const Candidate& candidate : mine) {
    if (!consolidatable(candidate)) return rejected(kChurn, "pods of node " + candidate.name() + " changed");
    if (const auto adopted = adopted_lately(snapshot, options, candidate))
      return rejected(kChurn, "node " + candidate.name() + ": " + adopted->message);
    nodes.push_back(&candidate);
  }
  const BudgetLeft budget(snapshot, options, move.reason);
  if (!budget.allows(nodes)) return rejected(kBudget, "the budgets no longer allow it");
  const model::Price node_price = options.solve.node_price;
  const std::optional<Snapshot> unbound = unbind(snapshot);
  const Snapshot& seen = unbound ? *unbound : snapshot;
  Judgement now = evaluate_removal(seen, options, nodes, ReplacementPrice::kLower);
  std::string why = differs(move, now, node_price);
  if (!why.empty() && move.replacements.size() > 1) {
    now = repack(seen, options, nodes);
    why = differs(move, now, node_price);
  }
  if (!why.empty()) return rejected(kScheduling, std::move(why));
  // A replacement needs labels, taints and hash of the same version of its NodePool, and the controller reads the hash
  // from the present one.
  Move made = move;
  made.replacements = std::move(now.move->replacements);
  made.pods_to_existing = std::move(now.move->pods_to_existing);
  made.savings = now.move->savings;
  return {std::move(made), "", ""};
}

}  // namespace tenon::disruption
