// SPDX-License-Identifier: Apache-2.0
#include "controllers/metrics.h"

#include <algorithm>

#include "base/text.h"
#include "model/generations.h"
#include "model/labels.h"

namespace tenon::controllers {
namespace {

// The architecture, by the name that Go gives it. The labels goversion and commit stay empty: the program is not
// written in Go, and its version names its commit.
#if defined(__aarch64__)
constexpr const char* kArchitecture = "arm64";
#else
constexpr const char* kArchitecture = "amd64";
#endif

std::string label(const model::ObjectMeta& meta, std::string_view key) {
  return std::string(model::lookup(meta.labels, key));
}

bool released(const model::ObjectMeta& before, const model::ObjectMeta& after) {
  const auto held = [](const model::ObjectMeta& meta) {
    return std::find(meta.finalizers.begin(), meta.finalizers.end(), model::kFinalizerTermination) !=
           meta.finalizers.end();
  };
  return held(before) && !held(after);
}

std::string termination_mode(const model::NodeClaim& claim) {
  if (!claim.termination_grace_period) return "graceful";
  return *claim.termination_grace_period > Duration::zero() ? "eventual" : "forceful";
}

std::vector<double> lifetime_buckets() {
  constexpr double kMinute = 60, kHour = 3600, kDay = 86400;
  std::vector<double> buckets{15 * kMinute, 30 * kMinute, 45 * kMinute};
  for (const double hours : {1, 2, 4, 6, 8, 10, 12, 16, 20}) buckets.push_back(hours * kHour);
  for (const double days : {1, 2, 3, 5, 10, 15, 20, 25, 30}) buckets.push_back(days * kDay);
  return buckets;
}

// Returns the reason as v0.27 wrote it: "consolidation/delete" for "underutilized". All other reasons are unchanged.
std::string reason_of_v027(const std::string& why, const std::string& action) {
  if (why == "provisioned") return "provisioning";
  if (why == "expired") return "expiration/replace";
  if (why == "empty") return "emptiness/" + action;
  if (why == "underutilized") return "consolidation/" + action;
  if (why == "drifted") return "drift/" + action;
  return why;
}

struct Count {
  Metrics& metrics;
  Instant now;

  void operator()(const plan::CreateNodeClaim& a) const {
    const auto& annotations = a.claim.meta.annotations;
    const bool relaxed = model::lookup(annotations, model::kAnnotationMinValuesRelaxed) == "true";
    metrics.claims_created.add({{"reason", a.why},
                                {"nodepool", std::string(a.claim.pool())},
                                {"min_values_relaxed", relaxed ? "true" : "false"}});
    count_v027(metrics.nodes_created_v027, a.claim, a.why, "replace");
  }
  void operator()(const plan::DeleteNodeClaim& a) const {
    if (a.why.empty()) return;
    const metrics::Labels labels{{"reason", a.why},
                                 {"nodepool", std::string(a.claim.pool())},
                                 {"capacity_type", label(a.claim.meta, model::kLabelCapacityType)},
                                 {"consolidation_policy", a.consolidation_policy},
                                 {"termination_mode", termination_mode(a.claim)}};
    metrics.claims_disrupted.add(labels);
    count_v027(metrics.nodes_terminated_v027, a.claim, a.why, "delete");
    if (a.pods > 0) metrics.pods_disrupted.add(labels, static_cast<double>(a.pods));
    if (a.sick_of.empty()) return;
    metrics.claims_repaired.add({{"condition", a.sick_of},
                                 {"nodepool", std::string(a.claim.pool())},
                                 {"capacity_type", label(a.claim.meta, model::kLabelCapacityType)},
                                 {"image_id", a.claim.image_id}});
  }
  void operator()(const plan::DeletePod& a) const { metrics.pods_drained.add({{"reason", a.reason}}); }
  void operator()(const plan::PatchNodeClaim& a) const {
    const metrics::Labels where{{"nodepool", std::string(a.after.pool())},
                                {"zone", label(a.after.meta, model::kLabelZone)}};
    if (!a.before.is(model::kRegistered) && a.after.is(model::kRegistered)) metrics.nodes_created.add(where);
    if (!a.before.is(model::kDrained) && a.after.is(model::kDrained)) {
      metrics.nodes_drained.add({{"nodepool", std::string(a.after.pool())}});
    }
    if (!released(a.before.meta, a.after.meta)) return;
    const metrics::Labels pool{{"nodepool", std::string(a.after.pool())}};
    if (a.before.meta.deleted_at) metrics.claim_termination.observe(pool, in_seconds(now - *a.before.meta.deleted_at));
    const auto* ending = model::find_condition(a.before.conditions, model::kInstanceTerminating);
    if (ending) metrics.instance_termination.observe(pool, in_seconds(now - ending->last_transition));
    metrics::Labels gone = where;
    gone["capacity_type"] = label(a.after.meta, model::kLabelCapacityType);
    metrics.claims_terminated.add(gone);
  }
  void operator()(const plan::PatchNode& a) const {
    if (!released(a.before.meta, a.after.meta)) return;
    const std::string pool = std::string(model::pool_of(a.after.meta.labels));
    metrics.nodes_terminated.add({{"nodepool", pool}, {"zone", label(a.after.meta, model::kLabelZone)}});
    metrics.node_lifetime.observe({{"nodepool", pool}}, in_seconds(now - a.before.meta.created_at));
    if (!a.before.meta.deleted_at) return;
    const double took = in_seconds(now - *a.before.meta.deleted_at);
    metrics.node_termination.observe({{"nodepool", pool}}, took);
    if (model::is_provisioner(pool))
      metrics.node_termination_v027.observe({{"provisioner", std::string(model::object_name(pool))}}, took);
  }
  template <class Other>
  void operator()(const Other&) const {}

 private:
  static void count_v027(metrics::Counter& counter, const model::NodeClaim& claim, const std::string& why,
                         const std::string& action) {
    if (!model::is_provisioner(claim.pool())) return;
    counter.add(
        {{"reason", reason_of_v027(why, action)}, {"provisioner", std::string(model::object_name(claim.pool()))}});
  }
};

}  // namespace

Metrics::Metrics(metrics::Registry& registry)
    : loops(std::make_shared<LoopMetrics>(registry)),
      pod_times(registry),
      scheduling_duration(registry.histogram(
          {"karpenter_scheduler_scheduling_duration_seconds", "Seconds of one scheduling decision.", {"controller"}},
          metrics::duration_buckets())),
      queue_depth(registry.gauge(
          {"karpenter_scheduler_queue_depth", "Pods that wait to be scheduled.", {"controller"}, {"scheduling_id"}})),
      unschedulable_pods(registry.gauge({"karpenter_scheduler_unschedulable_pods_count",
                                         "Pods for which the last decision found no place.",
                                         {"controller"}})),
      claims_created(registry.counter({"karpenter_nodeclaims_created_total",
                                       "NodeClaims created, by why and NodePool.",
                                       {"reason", "nodepool", "min_values_relaxed"}})),
      claims_disrupted(
          registry.counter({"karpenter_nodeclaims_disrupted_total",
                            "NodeClaims that were deleted by a decision, by reason and NodePool.",
                            {"reason", "nodepool", "capacity_type", "consolidation_policy", "termination_mode"}})),
      claims_terminated(registry.counter({"karpenter_nodeclaims_terminated_total",
                                          "NodeClaims whose instance has gone.",
                                          {"nodepool", "capacity_type", "zone"}})),
      claims_repaired(registry.counter({"karpenter_nodeclaims_unhealthy_disrupted_total",
                                        "NodeClaims that were deleted because their Node was unhealthy.",
                                        {"condition", "nodepool", "capacity_type", "image_id"}})),
      pods_disrupted(
          registry.counter({"karpenter_pods_disruption_initiated_total",
                            "Pods that needed another node because their NodeClaim was deleted.",
                            {"reason", "nodepool", "capacity_type", "consolidation_policy", "termination_mode"}})),
      claim_termination(registry.histogram({"karpenter_nodeclaims_termination_duration_seconds",
                                            "Seconds from a NodeClaim's deletion to its end.",
                                            {"nodepool"}},
                                           metrics::exponential_buckets(1, 2, 12))),
      instance_termination(registry.histogram({"karpenter_nodeclaims_instance_termination_duration_seconds",
                                               "Seconds that the cloud took to end an instance.",
                                               {"nodepool"}},
                                              metrics::exponential_buckets(1, 2, 11))),
      nodes_created(registry.counter(
          {"karpenter_nodes_created_total", "Nodes that joined for a NodeClaim.", {"nodepool", "zone"}})),
      nodes_terminated(
          registry.counter({"karpenter_nodes_terminated_total", "Nodes drained and removed.", {"nodepool", "zone"}})),
      nodes_drained(registry.counter({"karpenter_nodes_drained_total", "Nodes whose pods have left.", {"nodepool"}})),
      node_termination(registry.summary({"karpenter_nodes_termination_duration_seconds",
                                         "Seconds from a Node's deletion to its end.",
                                         {"nodepool"}})),
      node_lifetime(
          registry.histogram({"karpenter_nodes_lifetime_duration_seconds", "Seconds that a Node lived.", {"nodepool"}},
                             lifetime_buckets())),
      evictions(registry.counter(
          {"karpenter_pods_eviction_requests_total", "Evictions asked for, by the answer's HTTP status.", {"code"}})),
      pods_drained(
          registry.counter({"karpenter_pods_drained_total", "Pods evicted or deleted with their Node.", {"reason"}})),
      evaluation_duration(registry.histogram({"karpenter_voluntary_disruption_decision_evaluation_duration_seconds",
                                              "Seconds of one look for nodes to disrupt.",
                                              {"reason", "consolidation_type"}},
                                             metrics::duration_buckets())),
      decisions(registry.counter({"karpenter_voluntary_disruption_decisions_total",
                                  "Disruption decisions started.",
                                  {"decision", "reason", "consolidation_type"}})),
      pool_decisions(registry.counter({"karpenter_voluntary_disruption_decisions_by_nodepool_total",
                                       "Disruption decisions started, once for each NodePool that loses a node.",
                                       {"nodepool", "decision", "reason", "consolidation_type"}})),
      failed_validations(registry.counter({"karpenter_voluntary_disruption_failed_validations_total",
                                           "Decisions that a second look no longer found right.",
                                           {"consolidation_type"}})),
      queue_failures(registry.counter({"karpenter_voluntary_disruption_queue_failures_total",
                                       "Started decisions that were rolled back.",
                                       {"decision", "reason", "consolidation_type"}})),
      consolidation_moves(registry.counter({"karpenter_consolidation_moves_total",
                                            "Consolidations that save money, by whether that justifies the disruption.",
                                            {"decision", "nodepool", "policy"}})),
      consolidation_score(registry.histogram({"karpenter_consolidation_score",
                                              "Scores of consolidations in NodePools with the policy Balanced: share "
                                              "of the price saved / share of the disruption.",
                                              {"decision", "nodepool", "policy"}},
                                             {0.1, 0.25, 0.33, 0.5, 1, 2, 5, 10})),
      consolidation_timeouts(registry.counter({"karpenter_voluntary_disruption_consolidation_timeouts_total",
                                               "Searches that were broken off; there is no such limit here.",
                                               {"consolidation_type"}})),
      eligible_nodes(registry.gauge({"karpenter_voluntary_disruption_eligible_nodes",
                                     "Nodes that the last look could disrupt for a reason, budgets aside.",
                                     {"reason"}})),
      allowed_disruptions(registry.gauge({"karpenter_nodepools_allowed_disruptions",
                                          "Nodes of a NodePool that its budgets let go at once for a reason.",
                                          {"nodepool", "reason"}})),
      consuming_budgets(registry.gauge({"karpenter_nodepools_nodes_consuming_budgets",
                                        "Nodes of a NodePool that are going or not ready.",
                                        {"nodepool", "reason"}})),
      interruptions_received(registry.counter({"karpenter_interruption_received_messages_total",
                                               "Messages from the interruption queue, by kind.",
                                               {"message_type"}})),
      interruptions_dropped(registry.counter({"tenon_interruption_dropped_messages_total",
                                              "Messages that changed nothing: malformed, foreign or duplicate.",
                                              {"reason"}})),
      interruptions_deleted(registry.counter(
          {"karpenter_interruption_deleted_messages_total", "Messages deleted from the interruption queue."})),
      interruption_latency(registry.histogram({"karpenter_interruption_message_queue_duration_seconds",
                                               "Seconds from an interruption's time to its handling."},
                                              metrics::duration_buckets())),
      instances_unhealthy(registry.counter({"karpenter_interruption_instance_status_unhealthy_total",
                                            "Instances that the cloud found unhealthy, by what it said.",
                                            {"category"}})),
      instances_lost(
          registry.counter({"tenon_instances_lost_total",
                            "Instances that ended without an announcement and without a request of this process.",
                            {"nodepool"}})),
      collection_held_back(registry.gauge({"tenon_garbage_collection_held_back",
                                           "Instances or NodeClaims that the last garbage collection found and did not "
                                           "end, because one pass ends only a share of all.",
                                           {"kind"}})),
      nodes_created_v027(registry.counter({"karpenter_nodes_created",
                                           "Nodes launched for a Provisioner, by why. Of Karpenter v0.27.",
                                           {"reason", "provisioner"}})),
      nodes_terminated_v027(registry.counter({"karpenter_nodes_terminated",
                                              "Nodes of a Provisioner that a decision ended. Of Karpenter v0.27.",
                                              {"reason", "provisioner"}})),
      node_termination_v027(registry.summary({"karpenter_nodes_termination_time_seconds",
                                              "Seconds from the deletion of a Provisioner's Node to its end. Of "
                                              "Karpenter v0.27.",
                                              {"provisioner"}})),
      deprovisioning_v027(
          registry.counter({"karpenter_deprovisioning_actions_performed",
                            "Disruption decisions started on nodes of Provisioners. Of Karpenter v0.27.",
                            {"action"}})),
      plans_rejected(registry.counter({"tenon_plans_rejected_total",
                                       "Plans that were not performed because of an internal error: they would have "
                                       "broken this invariant.",
                                       {"invariant"}})),
      launches_held(registry.counter({"tenon_launches_held_total",
                                      "Attempts to launch a node that a freeze or a cap held back, by which.",
                                      {"by"}})),
      frozen(registry.gauge({"tenon_frozen",
                             "1 if the ConfigMap tenon-freeze stops this, or if it is not known whether it does.",
                             {"what"}})) {
  registry.gauge({"karpenter_build_info", "1 for the version that runs.", {"version", "goversion", "goarch", "commit"}})
      .set({{"version", TENON_VERSION}, {"goarch", kArchitecture}}, 1);
  registry.add(loops);
  for (const char* type : {"multi", "single"}) consolidation_timeouts.touch({{"consolidation_type", type}});
}

void Metrics::performed(const plan::Action& action, Instant now) { std::visit(Count{*this, now}, action); }

void Metrics::rejected(const std::string& invariant) { plans_rejected.add({{"invariant", invariant}}); }

void Metrics::deprovisioned_v027(const std::string& reason, const std::string& decision) {
  deprovisioning_v027.add({{"action", reason_of_v027(reason, decision)}});
}

void Metrics::evicted(int status, const std::string& reason) {
  evictions.add({{"code", std::to_string(status)}});
  if (status == 200) pods_drained.add({{"reason", reason}});
}

}  // namespace tenon::controllers
