// kube-controller-manager for the simulated cluster: Deployments, ReplicaSets, DaemonSets, StatefulSets, Jobs, budgets,
// node taints and evictions, orphaned pods, volumes. One actor; runs from construction to destruction. (The API server
// handles Namespaces and the garbage collection of owned objects.)
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "kubesim/actors/inbox.h"
#include "kubesim/workloads/controller.h"

namespace tenon::kubesim {

class Workloads {
 public:
  Workloads(runtime::Runtime& runtime, Api& api, WorkloadOptions options);
  ~Workloads();

 private:
  class Actor;
  std::unique_ptr<Actor> actor_;
  std::unique_ptr<runtime::Task> task_;
};

}  // namespace tenon::kubesim
