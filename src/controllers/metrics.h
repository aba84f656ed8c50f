// The controllers' metrics, with Karpenter's names and labels. parity: karpenter pkg/metrics, and the metrics.go of
// each of its controllers. Any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "controllers/loop_metrics.h"
#include "controllers/pod_times.h"
#include "metrics/registry.h"
#include "plan/plan.h"

namespace tenon::controllers {

inline double in_seconds(Duration d) { return std::chrono::duration<double>(d).count(); }

struct Metrics {
  explicit Metrics(metrics::Registry& registry);

  const std::shared_ptr<LoopMetrics> loops;  // of all controllers
  PodTimes pod_times;

  metrics::Histogram& scheduling_duration;  // seconds of one solve
  metrics::Gauge& queue_depth;              // pods that await a decision
  metrics::Gauge& unschedulable_pods;       // after the last decision
  metrics::Counter& claims_created;
  metrics::Counter& claims_disrupted;
  metrics::Counter& claims_terminated;
  metrics::Counter& claims_repaired;
  metrics::Counter& pods_disrupted;
  metrics::Histogram& claim_termination;     // seconds from the deletion to the end
  metrics::Histogram& instance_termination;  // seconds from the first call to the end of the instance
  metrics::Counter& nodes_created;
  metrics::Counter& nodes_terminated;
  metrics::Counter& nodes_drained;
  metrics::Summary& node_termination;  // seconds from the deletion to the end
  metrics::Histogram& node_lifetime;   // seconds
  metrics::Counter& evictions;         // requested, by HTTP status
  metrics::Counter& pods_drained;
  metrics::Histogram& evaluation_duration;  // seconds of one disruption pass
  metrics::Counter& decisions;
  metrics::Counter& pool_decisions;
  metrics::Counter& failed_validations;
  metrics::Counter& queue_failures;
  metrics::Counter& consolidation_moves;     // weighed against their disruption
  metrics::Histogram& consolidation_score;   // of those in NodePools with the policy Balanced
  metrics::Counter& consolidation_timeouts;  // always 0: a search has a step limit, not a time limit
  metrics::Gauge& eligible_nodes;            // that each reason could disrupt if budgets allow
  metrics::Gauge& allowed_disruptions;
  metrics::Gauge& consuming_budgets;
  metrics::Counter& interruptions_received;  // messages, by kind
  metrics::Counter& interruptions_dropped;   // messages without an effect, by reason
  metrics::Counter& interruptions_deleted;   // messages
  metrics::Histogram& interruption_latency;  // seconds from the event of a message to its handling
  metrics::Counter& instances_unhealthy;     // by category, each time that an instance becomes unhealthy
  metrics::Counter& instances_lost;          // ended by others, unannounced
  metrics::Gauge& collection_held_back;      // by the limit of a pass of garbage collection
  // These measure nodes of Provisioners under the names of v0.27, which its dashboards query.
  // parity: karpenter-core v0.27.5 pkg/metrics
  metrics::Counter& nodes_created_v027;
  metrics::Counter& nodes_terminated_v027;
  metrics::Summary& node_termination_v027;  // as node_termination
  metrics::Counter& deprovisioning_v027;    // as decisions
  metrics::Counter& plans_rejected;         // by the invariant of the ledger that they would have broken
  metrics::Counter& launches_held;          // attempts that a freeze or a cap held back, by which
  metrics::Gauge& frozen;                   // 1 for what the ConfigMap tenon-freeze stops

  // Counts an action that was performed.
  void performed(const plan::Action& action, Instant now);
  void rejected(const std::string& invariant);
  // A disruption command of this reason ("underutilized") and decision ("delete") started on nodes of a Provisioner.
  void deprovisioned_v027(const std::string& reason, const std::string& decision);
  // Counts an eviction that was answered with this HTTP status.
  void evicted(int status, const std::string& reason);
};

}  // namespace tenon::controllers
