// kube-scheduler for the simulated cluster: binds pods of schedulerName default-scheduler to nodes; the others get a
// condition and an event with the reason. Equal scores are ordered by node name; the original chooses at random.
// One actor; runs from construction to destruction.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "kubesim/actors/inbox.h"
#include "kubesim/api.h"

namespace tenon::kubesim {

class Scheduler {
 public:
  Scheduler(runtime::Runtime& runtime, Api& api);
  ~Scheduler();

 private:
  class Actor;
  std::unique_ptr<Actor> actor_;
  std::unique_ptr<runtime::Task> task_;
};

}  // namespace tenon::kubesim
