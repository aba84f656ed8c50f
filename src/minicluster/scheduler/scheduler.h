// kube-scheduler for the simulated cluster: pods of schedulerName default-scheduler get a node, the others a condition
// and an event that say why not. Ties between equal scores break by node name, where the original draws a lot.
// One actor; runs from construction to destruction.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "minicluster/actors/inbox.h"
#include "minicluster/api.h"

namespace tenon::minicluster {

class Scheduler {
 public:
  Scheduler(runtime::Runtime& runtime, Api& api);
  ~Scheduler();

 private:
  class Actor;
  std::unique_ptr<Actor> actor_;
  std::unique_ptr<runtime::Task> task_;
};

}  // namespace tenon::minicluster
