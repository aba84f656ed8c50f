// The requests and limits of a pod, as the scheduler counts them.
// parity: k8s.io/component-helpers resource PodRequests; k8s.io/kubernetes pkg/apis/core/v1 SetDefaults_Pod
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "kube/codec/field.h"
#include "model/resources.h"

namespace tenon::kube::codec {

struct PodAmounts {
  model::Resources requests;  // with "pods": 1
  model::Resources limits;
  std::string negative;  // the path and amount of the first negative amount; empty: none
};
PodAmounts read_pod_amounts(const Field& spec, const Field& status);

}  // namespace tenon::kube::codec
