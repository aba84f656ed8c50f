// What a pod asks for, as the scheduler counts it.
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
  std::string negative;  // the path of the first amount below zero, and that amount; empty if there is none
};
PodAmounts read_pod_amounts(const Field& spec, const Field& status);

}  // namespace tenon::kube::codec
