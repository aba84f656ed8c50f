// The Applier performs plans; nothing else writes to the API server. Every patch carries the resource version that the
// decision saw: a stale decision is refused with kConflict and made again, never merged.
// Thread rule: apply() from any thread; it blocks until done, an error, or `stop`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kube/client.h"
#include "kube/events.h"
#include "plan/plan.h"

namespace tenon::controllers {

struct Outcome {
  std::vector<model::NodeClaim> created;  // as the API server answered, in the plan's order
  std::vector<std::string> refused_pods;  // uids whose eviction a PodDisruptionBudget forbids now
};

// Who is told what was done; each may be empty.
struct Told {
  std::function<void(const plan::Action&)> performed = {};              // of each action that was performed
  std::function<void(int status, const plan::EvictPod&)> evicted = {};  // of each eviction: the answer's HTTP status
};

class Applier {
 public:
  Applier(kube::Client& client, kube::EventRecorder& events, Told told = {})
      : client_(client), events_(events), told_(std::move(told)) {}

  // In order; the first failure ends it. What is already gone counts as deleted.
  Result<Outcome> apply(const plan::Plan& plan, const std::stop_token& stop);

 private:
  friend struct Perform;
  kube::Client& client_;
  kube::EventRecorder& events_;
  const Told told_;
};

}  // namespace tenon::controllers
