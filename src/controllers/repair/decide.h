// Nodes that are sick for too long are replaced, unless so many are that the sickness is likelier elsewhere. Pure.
// parity: karpenter pkg/controllers/node/health; beyond it, the breaker looks at the whole cluster as well as at the
// NodePool, and a Node whose kubelet still answers is drained first.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cloud/provider.h"
#include "plan/plan.h"

namespace tenon::controllers::repair {

inline constexpr int kSickPercent = 20;             // of a pool's nodes, rounded up: more are not repaired
inline constexpr Duration kBlockedInterval = 5min;  // until a blocked repair is looked at again
inline constexpr Duration kDrainTime = 5min;        // that a Node gets whose kubelet still answers

struct View {
  model::Node node;
  model::NodeClaim claim;
  std::vector<cloud::RepairPolicy> policies;
  size_t sick_in_pool = 0, in_pool = 0, sick_in_cluster = 0, in_cluster = 0;  // Nodes; this one too
  size_t pods = 0;                                                            // of this one that must move
  Instant now{};
};

// Whether a policy says so of it, however short it is.
bool is_sick(const model::Node& node, const std::vector<cloud::RepairPolicy>& policies);

plan::Plan decide(const View& view);

}  // namespace tenon::controllers::repair
