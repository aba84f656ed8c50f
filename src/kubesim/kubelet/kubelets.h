// The kubelets of all simulated machines, and the cloud controller that deletes the Nodes of terminated machines: one
// actor with timers. EC2 instances of the fake AWS boot and join as their user data configures. Nodes with the
// annotation kwok.x-k8s.io/node=fake, which tests create, become Ready. Pods that are bound to a Ready node start;
// deleted pods end.
// Runs from construction to destruction.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "awssim/fake_aws.h"
#include "kubesim/actors/inbox.h"
#include "kubesim/kubelet/options.h"

namespace tenon::kubesim {

class Kubelets {
 public:
  // aws: null for a cluster without instances; must outlive this.
  Kubelets(runtime::Runtime& runtime, Api& api, awssim::FakeAws* aws, KubeletOptions options);
  ~Kubelets();

 private:
  class Actor;
  std::unique_ptr<Actor> actor_;
  std::unique_ptr<runtime::Task> instances_;  // notifies the actor of changes in the cloud
  std::unique_ptr<runtime::Task> task_;
};

}  // namespace tenon::kubesim
