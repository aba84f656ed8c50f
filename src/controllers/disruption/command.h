// One disruption command in progress: taint, replace, wait for the replacements, delete; or roll back. Pure.
// parity: karpenter pkg/controllers/disruption/queue.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "disruption/disruption.h"
#include "plan/plan.h"

namespace tenon::controllers::disruption {

inline constexpr Duration kValidationDelay = 15s;  // between finding a move and its start; none for drift
inline constexpr Duration kCommandTimeoutMin = 10min;
inline constexpr Duration kCommandTimeoutMax = 1h;
inline constexpr Duration kTimeoutPerNode = 80ms;  // per candidate of all commands in progress

struct Command {
  tenon::disruption::Move move;
  std::vector<std::string> claims;        // of the nodes to remove, in the order of move.nodes
  std::vector<std::string> replacements;  // names of the claims that were created
  Instant started_at{};
  bool ending = false;  // its replacements are initialized: the deletions have begun
};

// "Underutilized: replace: nodepools=[default]: [a, b] -> [1 replacement] (savings: $0.07)"
std::string describe(const Command& command, const scheduling::Snapshot& snapshot);

// Returns taint and condition for every node of the move. Errors: kConflict: a node is gone or is being deleted.
Result<plan::Plan> decide_start(const scheduling::Snapshot& snapshot, const tenon::disruption::Move& move);

struct Progress {
  enum class State { kWaiting, kDone, kFailed };
  State state = State::kWaiting;
  plan::Plan plan;
};
// kDone: the plan deletes the candidates' claims, each in a group of its own. kFailed: it removes taint and condition,
// node by node; if a replacement is gone, it also deletes the unused other ones.
Progress decide_progress(const scheduling::Snapshot& snapshot, const Command& command, size_t queued_nodes);

// Removes the disrupted taint and the DisruptionReason condition from nodes that no command holds (after a restart).
struct Cleanup {
  plan::Plan plan;                 // one group for each node
  std::vector<std::string> nodes;  // nodes with a taint or condition to remove
};
Cleanup decide_cleanup(const scheduling::Snapshot& snapshot, const std::vector<std::string>& held);

}  // namespace tenon::controllers::disruption
