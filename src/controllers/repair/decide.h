// Replaces Nodes that are unhealthy for too long, unless so many are that the cause is more likely elsewhere. Pure.
// parity: karpenter pkg/controllers/node/health; beyond it, the limit applies to the whole cluster as well as to the
// NodePool, and a Node whose kubelet still answers is drained first.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cloud/provider.h"
#include "plan/plan.h"

namespace tenon::controllers::repair {

inline constexpr int kSickPercent = 20;             // of a pool's or the cluster's nodes, rounded up; above: no repair
inline constexpr Duration kBlockedInterval = 5min;  // until a blocked repair is decided again
inline constexpr Duration kDrainTime = 5min;        // the time that a Node gets whose kubelet still answers

struct View {
  model::Node node;
  model::NodeClaim claim;
  std::vector<cloud::RepairPolicy> policies;
  size_t sick_in_pool = 0, in_pool = 0, sick_in_cluster = 0, in_cluster = 0;  // Nodes, this one included
  size_t pods = 0;                                                            // of this Node, to reschedule
  Instant now{};
};

// True if the condition of a policy matches, for any duration.
bool is_sick(const model::Node& node, const std::vector<cloud::RepairPolicy>& policies);

plan::Plan decide(const View& view);

}  // namespace tenon::controllers::repair
