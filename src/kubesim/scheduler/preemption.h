// Selects the node and the victims for the preemption of pods of lower priority.
// parity: pkg/scheduler/framework/preemption, without extenders; PodDisruptionBudgets are ignored (the original only
// prefers not to violate them).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kubesim/scheduler/cluster_cache.h"

namespace tenon::kubesim {

struct Preemption {
  std::string node;
  std::vector<std::shared_ptr<const PodInfo>> victims;  // a minimal set, lowest priority first
};

// Searches `nodes` (those where preemption can help). Selects the node whose highest victim priority is lowest, then
// the smallest sum of priorities, the fewest victims, the name. Returns std::nullopt if no node has sufficient pods of
// lower priority. A fit means resources, pod count and host ports; the next attempt checks spread and affinity again.
std::optional<Preemption> find_preemption(const PodInfo& pod, const std::vector<const NodeInfo*>& nodes);

}  // namespace tenon::kubesim
