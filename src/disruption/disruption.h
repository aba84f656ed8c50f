// One pass over the cluster: which nodes may go now, and what replaces them. Pure; every move carries its reason and
// every node that stays says what keeps it.
// parity: karpenter pkg/controllers/disruption (rules); the search is ours.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "disruption/worth.h"
#include "scheduling/solver.h"

namespace tenon::disruption {

enum class Method { kEmptiness, kDrift, kStaticDrift, kMultiNodeConsolidation, kSingleNodeConsolidation };
std::string_view to_string(Method method);
// A move of this kind begins only if a second look, some time later, finds it still right; the others begin at once.
// parity: karpenter validation.go (emptiness and consolidation are validated, drift is not)
bool needs_second_look(Method method);
inline bool is_consolidation(Method method) {
  return method == Method::kMultiNodeConsolidation || method == Method::kSingleNodeConsolidation;
}

struct Move {
  std::string id;      // "move-0", … by order
  std::string reason;  // Empty, Underutilized, Drifted
  Method method = Method::kEmptiness;
  std::vector<std::string> nodes;  // that go, by name
  std::vector<scheduling::PlannedNode> replacements;
  std::map<std::string, std::vector<std::string>> pods_to_existing;  // node → pod keys
  model::Price savings;  // price of the nodes that go − price of the replacements; what it is worth: gain_of()
  int64_t disruption_cost_milli = 0;
  std::map<std::string, std::string> approved;  // NodePool with the policy Balanced → how the move scored
};

struct Options {
  scheduling::SolveOptions solve;
  bool spot_to_spot = false;     // feature gate SpotToSpotConsolidation
  bool static_capacity = false;  // feature gate StaticCapacity: drifted nodes of static NodePools are replaced
  bool forecast = true;          // false: kube-scheduler is believed to place pods as moves plan (a planted fault)
  // Nodes of commands that have begun: they are no candidates, count against budgets and are as good as gone.
  std::vector<std::string> in_progress;
  // Moves that have been found and wait for their second look, which may say no. Their nodes are no candidates either,
  // count against budgets and take no pods; but what they use of a NodePool's limits is not free yet.
  std::vector<Move> waiting = {};
  // Pending pods that have room on nodes now and must not lose it, by key → node. Filled in by decide_disruption().
  std::map<std::string, std::string> keep_placed = {};
  // What a move must be worth, by NodePool. Filled in by decide_disruption().
  Worth worth = {};
};

struct Kept {
  // DisruptionBlocked and Unconsolidatable are reasons of events; the others are not told in the cluster: Budget,
  // Waiting (it may go later), Static, Cheapest.
  std::string reason;
  std::string message;  // as in the event of that reason
  std::string object;   // "pod/…", "pdb/…", "node/…" or "nodepool/…" that keeps it
  bool has_event() const { return reason == "DisruptionBlocked" || reason == "Unconsolidatable"; }
};

struct Pass {
  std::vector<Move> moves;           // may all start now, in order, under the budgets
  std::map<std::string, Kept> kept;  // node → what keeps it
  // Reason → how many nodes could go for it now, budgets and what becomes of their pods aside.
  std::map<std::string, int, std::less<>> eligible;
  int64_t steps = 0;  // tries to put pods into a node by consolidation, for tests and --stats
};

// The gain of a move: its savings, plus node_price (SolveOptions) for each node that it removes, minus node_price for
// each node that it launches.
model::Price gain_of(const Move& move, model::Price node_price);

// A command or a move that waits holds this node already.
bool is_held(const Options& options, std::string_view node);

Pass decide_disruption(const scheduling::Snapshot& snapshot, const Options& options);

// What would become of a node's pods if it went now, whatever that costs and whatever keeps it; nothing if not all of
// them would find a place.
std::optional<Move> without_node(const scheduling::Snapshot& snapshot, const Options& options,
                                 const scheduling::NodeView& node);

// What giving this node up saves: its offering's current price in the pool's types, less what a commitment pays
// whether it runs or not; zero if unknown.
model::Price node_price(const scheduling::Snapshot& snapshot, const scheduling::NodeView& node);

}  // namespace tenon::disruption
