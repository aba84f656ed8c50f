// Which pods can be evicted, and which need another node then. Pure. parity: karpenter pkg/utils/pod/scheduling.go,
// pkg/utils/pdb
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scheduling/input/snapshot.h"

namespace tenon::scheduling {

// The annotation do-not-disrupt of a pod: `true`, or a duration since the pod started.
struct Refusal {
  enum class Kind { kNothing, kAlways, kUntil, kElapsed, kInvalid };
  Kind kind = Kind::kNothing;
  std::optional<Instant> until;  // of kUntil and kElapsed; empty if the pod has not started
};
Refusal refusal_of(const model::Pod& pod, Instant now);
// Returns true if the annotation forbids disruption now: always, or its duration has not passed.
bool refuses_disruption(const model::Pod& pod, Instant now);
// Returns true if an annotation of v0.27 forbids to evict the pod. It counts only on a node of a Provisioner: `pool` is
// the key of the node's pool.
bool do_not_evict(const model::Pod& pod, std::string_view pool);
bool evictable(const model::Pod& pod, Instant now);

// Returns true if the pod needs another node when its node is removed.
bool reschedulable(const model::Pod& pod);
// The same for a node that is being drained now. A pod whose eviction is blocked stays until the node's grace period
// ends, so no node is launched for it yet. Blocked are pods that forbid disruption, pods of a PodDisruptionBudget that
// never allows one, and pods of more than one budget.
bool leaves_draining_node(const Snapshot& snapshot, const model::Pod& pod);
// The same for a pod of this node, whether the node is being drained or not.
bool leaves_if_removed(const Snapshot& snapshot, const NodeView& node, const model::Pod& pod);

}  // namespace tenon::scheduling
