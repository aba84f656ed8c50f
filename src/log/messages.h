// The messages that users of Karpenter search for: text, level, keys, and when each is written. docs/reference/logs.md
// is made of this table. A line may hold more than its message says: its words, for people.
// parity: karpenter pkg/controllers (the calls of log.FromContext), provider-aws pkg/controllers/interruption
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "log/log.h"

namespace tenon::log {

struct Message {
  Level level;
  std::string_view text;
  std::string_view keys;  // beyond those of the reconciliation, divided by spaces, in the order in which they appear
  std::string_view when;
};

// Provisioning.
extern const Message kComputingDecision, kFoundPods, kComputedClaims, kComputedNodes, kCreatedNodeClaim,
    kCouldNotSchedule, kNoPools, kNoTypes;
// The life of a NodeClaim and its Node.
extern const Message kLaunchedNodeClaim, kFailedLaunch, kRegisteredNodeClaim, kInitializedNodeClaim, kTimedOut,
    kAnnotatedNodeClaim, kTaintedNode, kDeletingPod, kDeletedNode, kDeletedNodeClaim;
// Why nodes go.
extern const Message kDisruptingNodes, kCommandSucceeded, kMarkingDrifted, kMarkingConsolidatable, kDeletingExpired,
    kDeletingUnhealthy, kInterrupted, kGarbage;
// Static NodePools.
extern const Message kProvisioningReplicas, kDeprovisioningReplicas, kAtNodeLimit;

std::span<const Message* const> all_messages();

// Returns a line that follows from a decision which another line tells in words.
Entry step(const Message& message, Fields fields);
// Returns a line that tells a decision. `words`: for people, with figures and reasons.
Entry decision(const Message& message, Fields fields, std::string words);

// Returns "a, b and 3 other(s)". parity: karpenter pkg/utils/pretty
std::string some_of(std::span<const std::string> names, size_t at_most = 5);

}  // namespace tenon::log
