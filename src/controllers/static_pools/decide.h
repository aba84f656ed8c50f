// Static NodePools have as many NodeClaims as `replicas` says, pods or not. Pure.
// parity: karpenter pkg/controllers/static
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "plan/plan.h"
#include "scheduling/snapshot.h"

namespace tenon::controllers::static_pools {

inline constexpr Duration kInterval = 1min;        // between looks at a pool that did not change
inline constexpr Duration kAtLimitInterval = 30s;  // at one whose limit keeps nodes away

struct Decision {
  size_t create = 0;      // claims like the template
  bool at_limit = false;  // limits.nodes, or the size of the cluster, keeps more away
  plan::Plan plan;        // deletions of claims that are too many
};

// `view` is of a static pool. Nodes that a disruption command holds count neither as present nor as missing,
// because the command launches their replacements itself. `max_nodes`: the limit of the cluster, as in SolveOptions.
Decision decide(const scheduling::Snapshot& snapshot, const scheduling::PoolView& view,
                std::optional<int64_t> max_nodes);

// The claim of one more node; without a list of instance types, so that a launch may take any that the template allows.
// Nothing if the template's requirements contradict each other.
std::optional<model::NodeClaim> claim_like_template(const scheduling::PoolView& view);

}  // namespace tenon::controllers::static_pools
