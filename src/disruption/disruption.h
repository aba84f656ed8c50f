// One pass over the cluster: which nodes may go now, and what replaces them. Pure; every move carries its reason and
// every node that stays says what keeps it.
// parity: karpenter pkg/controllers/disruption (rules); the search is ours.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "scheduling/solver.h"

namespace tenon::disruption {

enum class Method { kEmptiness, kDrift, kStaticDrift, kMultiNodeConsolidation, kSingleNodeConsolidation };
std::string_view to_string(Method method);

struct Options {
  scheduling::SolveOptions solve;
  bool spot_to_spot = false;  // feature gate SpotToSpotConsolidation
  // Nodes that an unfinished command already holds (they count against budgets and are no candidates).
  std::vector<std::string> in_progress;
  // Pending pods that have room on nodes now and must not lose it, by key. Filled in by decide_disruption().
  std::set<std::string> keep_placed = {};
};

struct Move {
  std::string id;      // "move-0", … by order
  std::string reason;  // Empty, Underutilized, Drifted
  Method method = Method::kEmptiness;
  std::vector<std::string> nodes;  // that go, by name
  std::vector<scheduling::PlannedNode> replacements;
  std::map<std::string, std::vector<std::string>> pods_to_existing;  // node → pod keys
  model::Price savings;  // price of the nodes that go − price of the replacements
  int64_t disruption_cost_milli = 0;
};

struct Kept {
  std::string reason;   // DisruptionBlocked, Unconsolidatable
  std::string message;  // as in the event of that reason
  std::string object;   // the pod, PodDisruptionBudget or NodePool that keeps it
};

struct Pass {
  std::vector<Move> moves;           // may all start now, in order, under the budgets
  std::map<std::string, Kept> kept;  // node → what keeps it
};

Pass decide_disruption(const scheduling::Snapshot& snapshot, const Options& options);

// The move is still right on a newer snapshot (pods did not change underneath, budgets still allow it, it still saves).
Status still_valid(const scheduling::Snapshot& snapshot, const Options& options, const Move& move);

// The price the cluster pays for this node: its offering's current price in the pool's types; zero if unknown.
model::Price node_price(const scheduling::Snapshot& snapshot, const scheduling::NodeView& node);

}  // namespace tenon::disruption
