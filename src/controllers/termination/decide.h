// Drains a Node that is being deleted: its pods are evicted, its volumes are detached, its instance is terminated, then
// its finalizer is removed. Pure. parity: karpenter pkg/controllers/node/termination
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "plan/plan.h"
#include "scheduling/input/snapshot.h"

namespace tenon::controllers::termination {

inline constexpr Duration kMinimumDrain = 5s;   // so that pods bound at the last moment are observed
inline constexpr Duration kStuckAfter = 1min;   // past its deletionTimestamp a pod no longer blocks the drain
inline constexpr Duration kDrainInterval = 1s;  // between reads of a node that drains or waits for its volumes
inline constexpr Duration kInstancePoll = 5s;   // between reads of a terminating instance

struct View {
  model::Node node;
  std::optional<model::NodeClaim> claim;
  std::vector<scheduling::PodPtr> pods;  // bound to the node, including terminal ones
  // Uids of pods that are not evicted before this time: their eviction failed, or was accepted a moment ago.
  std::map<std::string, Instant> not_before;
  // Replacements for its pods are not launched yet; they are not awaited any longer than this.
  std::optional<Instant> held_until;
  std::map<std::string, std::string> attachments;      // VolumeAttachments to the node: name → PersistentVolume
  std::map<std::string, std::string> volume_of_claim;  // namespace/name of a PersistentVolumeClaim → its volume
  Instant now{};
};

// `instance_gone`: the cloud's answer in this pass; std::nullopt if no request was sent. If the node is drained and its
// volumes are detached, the plan is a TerminateInstance alone; the answer decides the rest.
plan::Plan decide(const View& view, std::optional<bool> instance_gone);

}  // namespace tenon::controllers::termination
