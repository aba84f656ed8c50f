// decide_disruption(): one pass over the cluster. Returns the moves that may start now, each with its reason and its
// replacements, and for every managed node that stays what keeps it. Pure.
// parity: karpenter pkg/controllers/disruption (rules); the search is ours.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "disruption/required_savings.h"
#include "scheduling/input/solution.h"
#include "scheduling/input/solve_options.h"

namespace tenon::disruption {

enum class Method { kEmptiness, kDrift, kStaticDrift, kMultiNodeConsolidation, kSingleNodeConsolidation };
std::string_view to_string(Method method);
// Returns whether a move of this method starts only after a second look (validation.h) accepts it. If not, it starts at
// once.
// parity: karpenter validation.go (emptiness and consolidation are validated, drift is not)
bool needs_validation(Method method);
inline bool is_consolidation(Method method) {
  return method == Method::kMultiNodeConsolidation || method == Method::kSingleNodeConsolidation;
}

struct Move {
  std::string id;      // "move-0", … by order
  std::string reason;  // Empty, Underutilized, Drifted
  Method method = Method::kEmptiness;
  std::vector<std::string> nodes;  // to remove, by name
  std::vector<scheduling::PlannedNode> replacements;
  std::map<std::string, std::vector<std::string>> pods_to_existing;  // node → pod keys
  model::Price savings;  // price of the removed nodes − price of the replacements; see also gain_of()
  int64_t disruption_cost_milli = 0;
  std::map<std::string, std::string> approved;  // NodePool with the policy Balanced → its score
};

// Observes a pass, for metrics: a pass reads no clock. Called from the thread of decide_disruption().
struct Observer {
  // The search of this method begins. kSingleNodeConsolidation: each node by itself; kMultiNodeConsolidation: sets of
  // nodes, and the choice among all moves; kDrift: also of static NodePools.
  std::function<void(Method)> began;
  // A consolidation that saves money was weighed against its disruption. `pools`: the NodePools of its nodes, with the
  // score if the policy is Balanced.
  std::function<void(const std::map<std::string, std::optional<double>>& pools, bool approved)> weighed;
};

struct Options {
  scheduling::SolveOptions solve;
  bool spot_to_spot = false;     // feature gate SpotToSpotConsolidation
  bool static_capacity = false;  // feature gate StaticCapacity: drifted nodes of static NodePools are replaced
  // Consolidation leaves an adopted node with pods (model/adoption.h) alone for this long after its adoption. Emptiness
  // and drift do not wait.
  Duration adoption_wait{};
  // For experiments. forecast off: assumes that kube-scheduler follows the moves' plans. hindsight off: moves that
  // turned out wrong are repeated (controllers/disruption/consolidation_backoff.h).
  bool forecast = true, hindsight = true;
  const Observer* observer = nullptr;  // borrowed; null: none
  // Nodes of commands that have started. They are not candidates, count against budgets and are treated as removed.
  std::vector<std::string> in_progress;
  // Moves that wait for their second look, which may reject them. Their nodes are not candidates, count against budgets
  // and accept no pods, but still use their part of the NodePool's limits.
  std::vector<Move> waiting = {};
  // Pending pods that fit on existing nodes and must keep that room, key → node (headroom.h). decide_disruption(),
  // validate_move() and without_node() set it.
  std::map<std::string, std::string> keep_placed = {};
  // The conditions of each NodePool for a move (required_savings.h). decide_disruption() and validate_move() set it.
  RequiredSavings worth = {};
};

// v0.27 reported a node that is being deleted with this text.
inline constexpr const char* kBeingDeleted = "in the process of deletion";

struct Kept {
  // DisruptionBlocked and Unconsolidatable are reasons of events. The others have no event: Budget, Waiting (the node
  // may be removed later), Static, Cheapest.
  std::string reason;
  std::string message;  // of the event
  std::string object;   // "pod/…", "pdb/…", "node/…" or "nodepool/…" that keeps it
  bool has_event() const { return reason == "DisruptionBlocked" || reason == "Unconsolidatable"; }
};

struct Pass {
  std::vector<Move> moves;           // the budgets allow all of them to start now, in this order
  std::map<std::string, Kept> kept;  // node → what keeps it
  // Reason → the number of nodes that could be removed for it now, if budgets and the placement of pods are ignored.
  std::map<std::string, int, std::less<>> eligible;
  int64_t steps = 0;  // attempts of consolidation to place a pod on a node, for tests and --stats
};

// The gain of a move: its savings, plus node_price (SolveOptions) for each node that it removes, minus node_price for
// each node that it launches.
model::Price gain_of(const Move& move, model::Price node_price);

// Reports to the observer, if there is one.
void began(const Options& options, Method method);

// Returns whether a started command or a waiting move includes this node.
bool in_command(const Options& options, std::string_view node);

Pass decide_disruption(const scheduling::Snapshot& snapshot, const Options& options);

// Returns the move that removes this node now, at any price and regardless of what keeps the node; std::nullopt if some
// of its pods are unschedulable.
std::optional<Move> without_node(const scheduling::Snapshot& snapshot, const Options& options,
                                 const scheduling::NodeView& node);

// Returns what the removal of this node saves: the current price of its offering in the pool's types, without the part
// that a commitment pays in any case; zero if the price is unknown.
model::Price price_of_instance(const scheduling::Snapshot& snapshot, const scheduling::NodeView& node);

}  // namespace tenon::disruption
