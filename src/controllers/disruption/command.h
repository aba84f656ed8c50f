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
inline constexpr Duration kTick = 1s;              // between checks of waiting moves and running commands

struct Command {
  tenon::disruption::Move move;
  std::vector<std::string> claims;        // of the nodes to remove, in the order of move.nodes
  std::vector<std::string> replacements;  // names of the claims that were created
  Instant started_at{};
  bool ending = false;  // its replacements are initialized: the deletions have begun
};

// "Underutilized: replace: nodepools=[default]: [a, b] -> [1 replacement] (savings: $0.07)"
std::string describe(const Command& command, const scheduling::Snapshot& snapshot);

// Returns the line that tells the start of a command. parity: karpenter pkg/controllers/disruption/types.go LogValues
tenon::log::Entry disrupting_line(const Command& command, const scheduling::Snapshot& snapshot);
// Returns the line about its end.
tenon::log::Entry succeeded_line(const Command& command);

// Returns the move for an observer: the nodes, the replacements with their prices, and the savings.
plan::Proposal propose(const tenon::disruption::Move& move, const scheduling::Snapshot& snapshot);

// Returns the plan that starts a move, with its proposal: for each node the taint, the condition and its mark; then the
// replacements, with room promised for their pods; then room promised on existing nodes. One group, because a move is
// started completely or not at all. Empty nodes are independent: one group each. Empty if a node or a NodePool of the
// move is gone.
plan::Plan decide_start(const scheduling::Snapshot& snapshot, const tenon::disruption::Move& move);
// Returns the plan that takes back a start that failed: the replacements that were `created` are deleted, the `marked`
// nodes (names of NodeClaims) are unmarked.
plan::Plan decide_undo(const std::vector<model::NodeClaim>& created, const std::vector<std::string>& marked);

// Returns the next step of a command. With plan::Plan::again: it waits for its replacements. Without: it ends with this
// plan. Either the plan deletes the candidates' claims, each in a group of its own; or it rolls the command back
// (rolls_back), because a replacement is gone or late.
plan::Plan decide_progress(const scheduling::Snapshot& snapshot, const Command& command, size_t queued_nodes);
// Returns the plan that rolls the command back because voluntary disruption is frozen. Nodes that are already being
// deleted are not rescued. The replacements stay: their removal would be another disruption.
plan::Plan decide_frozen(const scheduling::Snapshot& snapshot, const Command& command);
// True if the plan removes taint, condition and mark from the candidates. If a replacement is gone, it also deletes the
// unused other ones.
bool rolls_back(const plan::Plan& plan);

// Returns the nodes with a disrupted taint or a DisruptionReason that no command holds: a process has ended meanwhile.
std::vector<std::string> left_over(const scheduling::Snapshot& snapshot, const std::vector<std::string>& held);
// Removes taint and condition from these nodes; one group for each node.
plan::Plan decide_cleanup(const scheduling::Snapshot& snapshot, const std::vector<std::string>& nodes);

}  // namespace tenon::controllers::disruption
