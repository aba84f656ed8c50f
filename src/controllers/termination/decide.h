// How a Node that is being deleted is drained and let go: its pods leave, its volumes are detached, its instance ends,
// then its finalizer goes. Pure. parity: karpenter pkg/controllers/node/termination
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "plan/plan.h"
#include "scheduling/snapshot.h"

namespace tenon::controllers::termination {

inline constexpr Duration kMinimumDrain = 5s;     // so that pods bound at the last moment are seen
inline constexpr Duration kStuckAfter = 1min;     // past its deletionTimestamp a pod no longer holds the drain up
inline constexpr Duration kDrainInterval = 1s;    // between looks at a node that drains or waits for its volumes
inline constexpr Duration kHeldInterval = 250ms;  // between looks at a node whose drain is held
inline constexpr Duration kInstancePoll = 5s;     // between looks at a terminating instance

struct View {
  model::Node node;
  std::optional<model::NodeClaim> claim;
  std::vector<scheduling::PodPtr> pods;                // bound to the node, terminal ones too
  // Pods (uids) that are not to be evicted before this time: their eviction failed, or was accepted a moment ago.
  std::map<std::string, Instant> not_before;
  bool held = false;                                   // its pods' new places are still being bought
  std::map<std::string, std::string> attachments;      // VolumeAttachments to the node: name → PersistentVolume
  std::map<std::string, std::string> volume_of_claim;  // namespace/name of a PersistentVolumeClaim → its volume
  Instant now{};
};

struct Step {
  plan::Plan plan;
  bool ask_cloud = false;  // drained and detached: the instance is to be ended now
};

// `instance_gone`: what the cloud answered in this pass, nothing if it was not asked.
Step decide(const View& view, std::optional<bool> instance_gone);

}  // namespace tenon::controllers::termination
