// A promise, watched during a storm. Each lives in a file of its own. A checker also counts how often the situation
// came up in which the promise means anything: one that never saw it has shown nothing.
// Thread rule: of the actor that runs (one at a time in simulation).
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

  // Before a request of the controllers is performed.
  virtual void on_call(const Call&, const Truth&) {}
  // After a request that changes something was performed.
  virtual void on_done(const Call&, const Truth&) {}
  // A line in which the controllers say what they decided.
  virtual void on_decision(const std::string&, const Truth&) {}
  // SIGTERM; and when all of the controllers have ended after it.
  virtual void on_stop(const Truth&) {}
  virtual void on_stopped(const Truth&) {}
  // EC2 has just said that it takes an instance back in two minutes.
  virtual void on_notice(const std::string& /*instance_id*/, const Truth&) {}
  // Every few virtual seconds.
  virtual void look(const Truth&) {}
  // The storm is over and everything has settled.
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

// Launched nodes stay within their NodePool's limits.
std::unique_ptr<Checker> make_limits_checker();
// Voluntary disruption begins only as far as the NodePool's budgets allow.
std::unique_ptr<Checker> make_budgets_checker();
// Pods that a PodDisruptionBudget protects are neither deleted nor chosen.
std::unique_ptr<Checker> make_pod_disruption_budgets_checker();
// Only pods of nodes that are going are evicted, never one that refuses, and no instance ends under pods.
std::unique_ptr<Checker> make_evictions_checker();
// An instance without a NodeClaim is found and ended.
std::unique_ptr<Checker> make_leaks_checker();
// A NodeClaim has one instance.
std::unique_ptr<Checker> make_twins_checker();
// In the end every pod runs that can.
std::unique_ptr<Checker> make_running_checker();
// Consolidation never pays more than it did.
std::unique_ptr<Checker> make_prices_checker();
// What EC2 takes back with notice is let go in time.
std::unique_ptr<Checker> make_interruptions_checker();
// Objects of another provider are never written.
std::unique_ptr<Checker> make_foreign_checker();
// An instance whose NodeClaim stays is never ended, whatever a list lacks.
std::unique_ptr<Checker> make_collected_checker();
// An unreadable object blocks voluntary disruption of the nodes that it concerns.
std::unique_ptr<Checker> make_unreadable_checker();
// A pod whose eviction a webhook refuses delays no other pod of its node.
std::unique_ptr<Checker> make_isolated_checker();
// Events are written one after the other by nobody whom anything waits for.
std::unique_ptr<Checker> make_prompt_checker();
// Only the replica that holds the lease writes.
std::unique_ptr<Checker> make_fenced_checker();
// A clean stop leaves no launch unrecorded.
std::unique_ptr<Checker> make_recorded_checker();
// When the storm is over, nothing moves any more.
std::unique_ptr<Checker> make_rest_checker();
// Capacity that consolidation removed is not launched again for the same pods.
std::unique_ptr<Checker> make_churn_checker();
// Labels of NodeClaims and Nodes are what the claim requires and what the instance is.
std::unique_ptr<Checker> make_labels_checker();

std::vector<std::unique_ptr<Checker>> make_checkers();

}  // namespace tenon::storm
