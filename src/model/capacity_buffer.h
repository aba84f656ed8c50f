// CapacityBuffer (autoscaling.x-k8s.io/v1beta1): room that is kept free for future pods. Value types.
// parity: karpenter pkg/apis/autoscaling/v1beta1/capacitybuffer.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/meta.h"
#include "model/pod.h"
#include "model/resources.h"

namespace tenon::model {

inline constexpr std::string_view kActiveCapacity = "buffer.x-k8s.io/active-capacity";

struct CapacityBufferStatus {
  std::string pod_template, strategy;
  int64_t pod_template_generation = 0;
  std::optional<int64_t> replicas;  // pods for which room is kept
  std::vector<Condition> conditions;
  friend bool operator==(const CapacityBufferStatus&, const CapacityBufferStatus&) = default;
};

struct CapacityBuffer {
  ObjectMeta meta;
  std::string strategy{kActiveCapacity};
  std::string pod_template;                  // name of a PodTemplate; empty: not set
  std::string scalable_kind, scalable_name;  // a workload; empty: not set
  std::optional<int> replicas, percentage;   // pods to keep room for: a number, percent of the workload's replicas
  std::optional<Resources> limits;           // of the requests of all pods of the buffer
  CapacityBufferStatus status;
  friend bool operator==(const CapacityBuffer&, const CapacityBuffer&) = default;
};

// The source of a buffer's pods: a PodTemplate, or a workload with its number of replicas.
struct PodSource {
  ObjectMeta meta;
  Pod pod_template;
  int replicas = 1;
  friend bool operator==(const PodSource&, const PodSource&) = default;
};

// Errors: kInvalid: the first invalid field, with its path.
Status validate(const CapacityBuffer& buffer);

}  // namespace tenon::model
