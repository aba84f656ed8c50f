// Which node a pod should take from pods of lower priority. parity: pkg/scheduler/framework/preemption, without
// extenders; PodDisruptionBudgets are not asked (the original only prefers not to violate them).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "minicluster/scheduler/cluster_cache.h"

namespace tenon::minicluster {

struct Preemption {
  std::string node;
  std::vector<std::shared_ptr<const PodInfo>> victims;  // the fewest that make room, lowest priority first
};

// Looks at `nodes` (those where the removal of pods can help) and picks the one whose highest victim is lowest, then
// the smallest sum of priorities, the fewest victims, the name. Nothing if no node has enough pods of lower priority.
// Room means resources, pod count and host ports; spread and affinity are judged again when the pod is next tried.
std::optional<Preemption> find_preemption(const PodInfo& pod, const std::vector<const NodeInfo*>& nodes);

}  // namespace tenon::minicluster
