// The pods that a Service or an owner of pods selects. Holds only what a default topology spread needs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/affinity.h"
#include "model/meta.h"

namespace tenon::model {

struct PodSelector {
  ObjectMeta meta;
  std::string kind;  // Service, ReplicationController, ReplicaSet or StatefulSet
  LabelSelector selector;
  friend bool operator==(const PodSelector&, const PodSelector&) = default;
};

}  // namespace tenon::model
