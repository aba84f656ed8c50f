// CapacityBuffer (autoscaling.x-k8s.io/v1beta1): room that is to be kept free for pods that may come. Value types.
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
  std::optional<int64_t> replicas;  // pods that room is kept for
  std::vector<Condition> conditions;
  friend bool operator==(const CapacityBufferStatus&, const CapacityBufferStatus&) = default;
};

struct CapacityBuffer {
  ObjectMeta meta;
  std::string strategy{kActiveCapacity};
  std::string pod_template;                  // name of a PodTemplate; empty: not set
  std::string scalable_kind, scalable_name;  // a workload; empty: not set
  std::optional<int> replicas, percentage;   // pods to keep room for; of the workload's replicas
  std::optional<Resources> limits;           // of what the buffer may ask for as a whole
  CapacityBufferStatus status;
  friend bool operator==(const CapacityBuffer&, const CapacityBuffer&) = default;
};

// What a buffer's pods look like: a PodTemplate, or a workload with the number of its replicas.
struct PodSource {
  ObjectMeta meta;
  Pod pod_template;
  int replicas = 1;
  friend bool operator==(const PodSource&, const PodSource&) = default;
};

// Errors: kInvalid: the first thing that is wrong, with its field path.
Status validate(const CapacityBuffer& buffer);

}  // namespace tenon::model
