// Executor: performs the plans of all controllers. The Applier (applier.h) is the one of a process; the Observer
// (observer.h) takes its place in a process that only observes. Simulations wrap it to inject faults.
// Thread rule: apply() from any thread; it blocks until done, an error, or `stop`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "cloud/instance.h"
#include "model/node_claim.h"
#include "plan/plan.h"
#include "state/caps.h"
#include "state/ledger.h"

namespace tenon::controllers {

// The observations while a plan is performed. Maps are by the index of the action in the plan.
struct Outcome {
  struct Failure {
    size_t action = 0;
    Error error;  // as the API server or the cloud answered
  };
  std::set<size_t> performed;                  // actions
  std::vector<Failure> failures;               // one for each failed group, in order
  std::map<size_t, model::NodeClaim> created;  // as the API server answered
  std::map<size_t, cloud::Instance> launched;
  std::set<std::string> gone;                 // provider ids that are no longer known to the cloud
  std::set<std::string> tagged;               // NodeClaims whose instance got a tag
  std::vector<std::string> removed_profiles;  // names
  std::vector<std::string> evicted_pods;      // uids of pods that are terminating now, or gone
  std::vector<std::string> refused_pods;      // uids of pods whose eviction failed: to be retried later
  // The error of the first eviction that failed for another reason than a PodDisruptionBudget.
  std::optional<Error> eviction_problem;
  // The groups that a freeze or a cap holds back, by their first action: none of their actions was performed. No
  // failure.
  std::map<size_t, state::Hold> held;
  bool turn_lost = false;           // another decision took the turn since the snapshot: decide again
  std::optional<state::Turn> turn;  // if the plan needed it; ends with the outcome

  // Returns the error of the first failure among the actions [first, last); null if there is none.
  const Error* failed(size_t first, size_t last) const;
  // Returns when what is held back may be tried again; std::nullopt: nothing is, or until the freeze ends.
  std::optional<Instant> retry_at() const;
};

class Executor {
 public:
  virtual ~Executor() = default;

  // Returns whether plans are reported and not performed: outcomes list no performed action, and another controller
  // decides about the same nodes.
  virtual bool observes() const { return false; }

  // Performs the actions in order; a failure ends the plan or its group (plan::Plan). An object that is already gone
  // counts as deleted. `outcome` holds what was done even if something failed. Errors: that of one group, a failure
  // rather than a conflict; the message names the action and how many others failed. kConflict: the turn was lost.
  // kInternal: the plan was rejected.
  virtual Status apply(const plan::Plan& plan, Outcome& outcome, const std::stop_token& stop) = 0;
  Result<Outcome> apply(const plan::Plan& plan, const std::stop_token& stop) {
    Outcome outcome;
    TRY(apply(plan, outcome, stop));
    return outcome;
  }
};

}  // namespace tenon::controllers
