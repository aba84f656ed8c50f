// NodeClaim (karpenter.sh/v1). Value type. parity: karpenter pkg/apis/v1/nodeclaim.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/generations.h"
#include "model/meta.h"
#include "model/node_pool.h"
#include "model/requirement.h"
#include "model/resources.h"
#include "model/taint.h"

namespace tenon::model {

// Condition types.
inline constexpr std::string_view kLaunched = "Launched";
inline constexpr std::string_view kRegistered = "Registered";
inline constexpr std::string_view kInitialized = "Initialized";
inline constexpr std::string_view kConsolidatable = "Consolidatable";
inline constexpr std::string_view kDrifted = "Drifted";
inline constexpr std::string_view kDrained = "Drained";
inline constexpr std::string_view kVolumesDetached = "VolumesDetached";
inline constexpr std::string_view kInstanceTerminating = "InstanceTerminating";
inline constexpr std::string_view kConsistentStateFound = "ConsistentStateFound";
inline constexpr std::string_view kDisruptionReason = "DisruptionReason";
inline constexpr std::string_view kReady = "Ready";

struct NodeClaim {
  ObjectMeta meta;
  NodeClassRef node_class_ref;
  std::vector<RequirementSpec> requirements;
  Resources requests;  // spec.resources.requests
  std::vector<Taint> taints, startup_taints;
  OptionalDuration expire_after = 720h;
  OptionalDuration termination_grace_period;
  // status
  std::string provider_id, node_name, image_id;
  Resources capacity, allocatable;
  std::vector<Condition> conditions;
  std::optional<Instant> last_pod_event_at;

  std::string_view pool() const { return pool_of(meta.labels); }
  bool is(std::string_view condition) const { return condition_is(conditions, condition, "True"); }
  friend bool operator==(const NodeClaim&, const NodeClaim&) = default;
};

}  // namespace tenon::model
