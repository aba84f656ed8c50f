// The Applier performs plans; nothing else writes to the API server. Every patch carries the resource version that the
// decision used: a stale decision is rejected with kConflict and made again, never merged.
// Thread rule: apply() from any thread; it blocks until done, an error, or `stop`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kube/client.h"
#include "kube/events.h"
#include "plan/plan.h"

namespace tenon::controllers {

struct Outcome {
  std::vector<model::NodeClaim> created;  // as the API server answered, in the plan's order
  std::vector<std::string> evicted_pods;  // uids of pods that are terminating now, or gone
  std::vector<std::string> refused_pods;  // uids of pods whose eviction failed: to be retried later
  // The error of the first eviction that failed for another reason than a PodDisruptionBudget.
  std::optional<Error> eviction_problem;
};

// Callbacks that report what was done; each may be empty.
struct Told {
  std::function<void(const plan::Action&)> performed = {};              // for each action that was performed
  std::function<void(int status, const plan::EvictPod&)> evicted = {};  // for each eviction, with its HTTP status
  // For each claim that may have been created although the API server did not answer; its name is set.
  std::function<void(const model::NodeClaim&)> perhaps_created = {};
};

class Applier {
 public:
  Applier(runtime::Runtime& runtime, kube::Client& client, kube::EventRecorder& events, Told told = {})
      : runtime_(runtime), client_(client), events_(events), told_(std::move(told)) {}

  // Performs the actions in order; a failure ends the plan or its group (plan::Plan). An object that is already gone
  // counts as deleted. Errors: that of one group, a failure rather than a conflict; the message names the action and
  // how many others failed.
  Result<Outcome> apply(const plan::Plan& plan, const std::stop_token& stop);
  // The same; `outcome` holds what was done even if something failed.
  Status apply(const plan::Plan& plan, Outcome& outcome, const std::stop_token& stop);

 private:
  friend struct Perform;
  runtime::Runtime& runtime_;
  kube::Client& client_;
  kube::EventRecorder& events_;
  const Told told_;
};

}  // namespace tenon::controllers
