// The controllers' metrics, by Karpenter's names and labels. parity: karpenter pkg/metrics, and the metrics.go of each
// of its controllers. Any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metrics/registry.h"
#include "plan/plan.h"

namespace tenon::controllers {

inline double in_seconds(Duration d) { return std::chrono::duration<double>(d).count(); }

struct Metrics {
  explicit Metrics(metrics::Registry& registry);

  metrics::Histogram& scheduling_duration;  // seconds of one solve
  metrics::Gauge& queue_depth;              // pods that wait for a decision
  metrics::Gauge& unschedulable_pods;       // after the last decision
  metrics::Counter& claims_created;
  metrics::Counter& claims_disrupted;
  metrics::Counter& claims_terminated;
  metrics::Counter& claims_repaired;
  metrics::Counter& pods_disrupted;
  metrics::Histogram& claim_termination;     // seconds from the deletion to the end
  metrics::Histogram& instance_termination;  // seconds from the first call to the instance's end
  metrics::Counter& nodes_created;
  metrics::Counter& nodes_terminated;
  metrics::Counter& nodes_drained;
  metrics::Summary& node_termination;  // seconds from the deletion to the end
  metrics::Histogram& node_lifetime;   // seconds
  metrics::Counter& evictions;         // asked for, by HTTP status
  metrics::Counter& pods_drained;
  metrics::Histogram& evaluation_duration;  // seconds of one look for nodes to disrupt
  metrics::Counter& decisions;
  metrics::Counter& pool_decisions;
  metrics::Counter& failed_validations;
  metrics::Counter& queue_failures;
  metrics::Counter& consolidation_timeouts;  // none: a search has an end, not a time
  metrics::Gauge& eligible_nodes;            // that each reason could disrupt if budgets allow
  metrics::Gauge& allowed_disruptions;
  metrics::Gauge& consuming_budgets;
  metrics::Counter& interruptions_received;  // messages, by kind
  metrics::Counter& interruptions_dropped;   // messages that nothing was done about, by why
  metrics::Counter& interruptions_deleted;   // messages
  metrics::Histogram& interruption_latency;  // seconds from what a message tells to its handling
  metrics::Counter& instances_unhealthy;     // by category, each time that one falls sick
  metrics::Counter& instances_lost;          // that somebody else ended, unannounced
  metrics::Gauge& collection_held_back;      // by the limit of a pass of garbage collection

  // What an action that was performed counts as.
  void performed(const plan::Action& action, Instant now);
  // An eviction was answered with this HTTP status.
  void evicted(int status, const std::string& reason);
};

}  // namespace tenon::controllers
