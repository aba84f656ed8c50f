// Every simulated machine's kubelet, and the cloud controller that removes the Nodes of machines that are gone: one
// actor with a heap of things to do. EC2 instances of the fake AWS boot and join as their user data says; Nodes made by
// hand with the annotation kwok.x-k8s.io/node=fake are kept Ready. Pods bound to a Ready node start, and end when
// deleted.
// Runs from construction to destruction.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "minicluster/actors/inbox.h"
#include "minicluster/fake_aws/fake_aws.h"
#include "minicluster/kubelet/options.h"

namespace tenon::minicluster {

class Kubelets {
 public:
  // aws: null for a cluster without instances; must outlive this.
  Kubelets(runtime::Runtime& runtime, Api& api, FakeAws* aws, KubeletOptions options);
  ~Kubelets();

 private:
  class Actor;
  std::unique_ptr<Actor> actor_;
  std::unique_ptr<runtime::Task> instances_;  // tells the actor of changes in the cloud
  std::unique_ptr<runtime::Task> task_;
};

}  // namespace tenon::minicluster
