// An invariant that is checked during a storm; each has a file of its own. A checker also counts how often the
// invariant applied: a checker that never saw such a situation has proven nothing. Thread rule: the running actor (one
// at a time in simulation).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "storm/truth.h"
#include "storm/wire.h"

namespace tenon::storm {

class Checker {
 public:
  explicit Checker(std::string_view name) : name_(name) {}
  virtual ~Checker() = default;

  // Called before a request of the controllers is performed.
  virtual void on_call(const Call&, const Truth&) {}
  // Called after a request that changed something was performed.
  virtual void on_done(const Call&, const Truth&) {}
  // Called with each line in which the controllers report a decision.
  virtual void on_decision(const std::string&, const Truth&) {}
  // Called at SIGTERM; and when all controllers have ended after it.
  virtual void on_stop(const Truth&) {}
  virtual void on_stopped(const Truth&) {}
  // Called when EC2 announces that it reclaims an instance in two minutes.
  virtual void on_notice(const std::string& /*instance_id*/, const Truth&) {}
  // Called every few virtual seconds.
  virtual void check(const Truth&) {}
  // Called when the storm is over and everything has settled.
  virtual void at_end(const Truth&) {}

  std::string_view name() const { return name_; }
  int64_t seen() const { return seen_; }
  const std::vector<std::string>& broken() const { return broken_; }

 protected:
  void saw() { ++seen_; }
  void fail(const Truth& truth, const std::string& what) {
    broken_.push_back(format_rfc3339(truth.now()) + " " + what);
  }

 private:
  const std::string_view name_;
  int64_t seen_ = 0;
  std::vector<std::string> broken_;
};

// Launched nodes do not exceed their NodePool's limits.
std::unique_ptr<Checker> make_limits_checker();
// Voluntary disruption begins only within the NodePool's budgets.
std::unique_ptr<Checker> make_budgets_checker();
// Pods that a PodDisruptionBudget protects are not deleted, and their nodes are not chosen.
std::unique_ptr<Checker> make_pod_disruption_budgets_checker();
// Only pods of nodes that are being deleted are evicted, no pod that refuses disruption, and no instance ends under
// pods.
std::unique_ptr<Checker> make_evictions_checker();
// An instance without a NodeClaim is found and terminated.
std::unique_ptr<Checker> make_leaks_checker();
// A NodeClaim has one instance.
std::unique_ptr<Checker> make_twins_checker();
// At the end every pod runs that can run.
std::unique_ptr<Checker> make_running_checker();
// Consolidation never raises the price.
std::unique_ptr<Checker> make_prices_checker();
// The NodeClaim of an instance that EC2 reclaims with notice is deleted in time.
std::unique_ptr<Checker> make_interruptions_checker();
// Objects of another provider are never written.
std::unique_ptr<Checker> make_foreign_checker();
// An instance is never terminated while its NodeClaim remains, whatever a list lacks.
std::unique_ptr<Checker> make_collected_checker();
// An unreadable object blocks voluntary disruption of the nodes that it concerns.
std::unique_ptr<Checker> make_unreadable_checker();
// A pod whose eviction a webhook denies delays no other pod of its node.
std::unique_ptr<Checker> make_isolated_checker();
// Events are written one at a time, by an actor that no other one waits for.
std::unique_ptr<Checker> make_prompt_checker();
// Only the replica that holds the lease writes.
std::unique_ptr<Checker> make_fenced_checker();
// A clean stop leaves no launch unrecorded.
std::unique_ptr<Checker> make_recorded_checker();
// After the storm nothing changes any more.
std::unique_ptr<Checker> make_rest_checker();
// Capacity that consolidation removed is not launched again for the same pods.
std::unique_ptr<Checker> make_churn_checker();
// Labels of NodeClaims and Nodes match the claim's requirements and the instance.
std::unique_ptr<Checker> make_labels_checker();

std::vector<std::unique_ptr<Checker>> make_checkers();

}  // namespace tenon::storm
