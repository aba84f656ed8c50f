// Scores the nodes that fit, with the default plugins and weights of kube-scheduler.
// parity: pkg/scheduler/apis/config/v1/default_plugins.go. Without ImageLocality: simulated nodes report no images, so
// that it would give every node zero.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "kubesim/scheduler/cluster_cache.h"

namespace tenon::kubesim {

// Returns the weighted sum of each of `nodes` (not empty), in their order.
std::vector<int64_t> score(const ClusterCache& cache, const PodInfo& pod, const std::vector<const NodeInfo*>& nodes);

// 0–100; exposed for tests.
int64_t least_allocated(const NodeInfo& node, const PodInfo& pod);
int64_t balanced_allocation(const NodeInfo& node, const PodInfo& pod);

}  // namespace tenon::kubesim
