// Which pods an eviction would move. Pure. parity: karpenter pkg/utils/pod/scheduling.go, pkg/utils/pdb
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scheduling/snapshot.h"

namespace tenon::scheduling {

// What its annotation do-not-disrupt asks for: `true`, or a duration since the pod started.
struct Refusal {
  enum class Kind { kNothing, kAlways, kUntil, kElapsed, kInvalid };
  Kind kind = Kind::kNothing;
  std::optional<Instant> until;  // kUntil, kElapsed; not if the pod has not started
};
Refusal refusal_of(const model::Pod& pod, Instant now);
// It asks, and the time has not passed.
bool refuses_disruption(const model::Pod& pod, Instant now);
bool evictable(const model::Pod& pod, Instant now);

// A pod that gets a new place when its node goes.
bool reschedulable(const model::Pod& pod);
// The same for a node that is being drained now: a pod that no eviction will move keeps its place until the node's time
// is up, so nothing is bought for it yet. Such are pods that refuse disruption, those of a PodDisruptionBudget that
// never allows one, and those of more than one budget.
bool leaves_draining_node(const Snapshot& snapshot, const model::Pod& pod);

}  // namespace tenon::scheduling
