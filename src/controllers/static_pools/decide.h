// Keeps as many NodeClaims in a static NodePool as `replicas` says, with or without pods. Pure.
// parity: karpenter pkg/controllers/static
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "plan/plan.h"
#include "scheduling/input/snapshot.h"

namespace tenon::controllers::static_pools {

inline constexpr Duration kInterval = 1min;        // between checks of an unchanged pool
inline constexpr Duration kAtLimitInterval = 30s;  // of a pool whose limit prevents nodes

struct Limits {
  std::optional<int64_t> max_nodes;  // of the cluster, as in SolveOptions
  Instant create_from{};             // no NodeClaim is created earlier
};

// Returns the deletions of excess claims, or the creation of missing ones, like the template. `view` is of a static
// pool. Nodes that a disruption command holds are never excess, and nothing is created while they and the other nodes
// reach `replicas`, because the command launches their replacements itself. `turns`: Ledger::turns() from before the
// snapshot.
plan::Plan decide(const scheduling::Snapshot& snapshot, const scheduling::PoolView& view, const Limits& limits,
                  uint64_t turns);

// Returns the claim of one more node, without a list of instance types, so that a launch may use any that the template
// allows. std::nullopt if the template's requirements contradict each other.
std::optional<model::NodeClaim> claim_like_template(const scheduling::PoolView& view);

}  // namespace tenon::controllers::static_pools
