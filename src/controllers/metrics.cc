// SPDX-License-Identifier: Apache-2.0
#include "controllers/metrics.h"

#include <algorithm>

#include "base/text.h"
#include "model/labels.h"

namespace tenon::controllers {
namespace {

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

struct Count {
  Metrics& metrics;

  void operator()(const plan::CreateNodeClaim& a) const {
    const auto& annotations = a.claim.meta.annotations;
    const bool relaxed = model::lookup(annotations, model::kAnnotationMinValuesRelaxed) == "true";
    metrics.claims_created.add({{"reason", a.why},
                                {"nodepool", std::string(a.claim.pool())},
                                {"min_values_relaxed", relaxed ? "true" : "false"}});
  }
  void operator()(const plan::DeleteNodeClaim& a) const {
    metrics.claims_disrupted.add({{"reason", a.why},
                                  {"nodepool", std::string(a.claim.pool())},
                                  {"capacity_type", label(a.claim.meta, model::kLabelCapacityType)},
                                  {"consolidation_policy", a.consolidation_policy},
                                  {"termination_mode", termination_mode(a.claim)}});
  }
  void operator()(const plan::PatchNodeClaim& a) const {
    const metrics::Labels where{{"nodepool", std::string(a.after.pool())},
                                {"zone", label(a.after.meta, model::kLabelZone)}};
    if (!a.before.is(model::kRegistered) && a.after.is(model::kRegistered)) metrics.nodes_created.add(where);
    if (!released(a.before.meta, a.after.meta)) return;
    metrics::Labels gone = where;
    gone["capacity_type"] = label(a.after.meta, model::kLabelCapacityType);
    metrics.claims_terminated.add(gone);
  }
  void operator()(const plan::PatchNode& a) const {
    if (!released(a.before.meta, a.after.meta)) return;
    metrics.nodes_terminated.add(
        {{"nodepool", label(a.after.meta, model::kLabelNodePool)}, {"zone", label(a.after.meta, model::kLabelZone)}});
  }
  template <class Other>
  void operator()(const Other&) const {}
};

}  // namespace

Metrics::Metrics(metrics::Registry& registry)
    : scheduling_duration(registry.histogram(
          {"karpenter_scheduler_scheduling_duration_seconds", "Seconds of one scheduling decision.", {"controller"}},
          metrics::duration_buckets())),
      queue_depth(registry.gauge(
          {"karpenter_scheduler_queue_depth", "Pods that wait to be scheduled.", {"controller", "scheduling_id"}})),
      unschedulable_pods(registry.gauge({"karpenter_scheduler_unschedulable_pods_count",
                                         "Pods for which the last decision found no place.",
                                         {"controller"}})),
      claims_created(registry.counter({"karpenter_nodeclaims_created_total",
                                       "NodeClaims created, by why and NodePool.",
                                       {"reason", "nodepool", "min_values_relaxed"}})),
      claims_disrupted(
          registry.counter({"karpenter_nodeclaims_disrupted_total",
                            "NodeClaims that were told to go, by why and NodePool.",
                            {"reason", "nodepool", "capacity_type", "consolidation_policy", "termination_mode"}})),
      claims_terminated(registry.counter({"karpenter_nodeclaims_terminated_total",
                                          "NodeClaims whose instance has gone.",
                                          {"nodepool", "capacity_type", "zone"}})),
      nodes_created(registry.counter(
          {"karpenter_nodes_created_total", "Nodes that joined for a NodeClaim.", {"nodepool", "zone"}})),
      nodes_terminated(
          registry.counter({"karpenter_nodes_terminated_total", "Nodes drained and removed.", {"nodepool", "zone"}})),
      evaluation_duration(registry.histogram({"karpenter_voluntary_disruption_decision_evaluation_duration_seconds",
                                              "Seconds of one look for nodes to disrupt.",
                                              {"reason", "consolidation_type"}},
                                             metrics::duration_buckets())),
      decisions(registry.counter({"karpenter_voluntary_disruption_decisions_total",
                                  "Disruption decisions started.",
                                  {"decision", "reason", "consolidation_type"}})) {
  registry.gauge({"karpenter_build_info", "1 for the version that runs.", {"version", "goversion", "goarch", "commit"}})
      .set({{"version", TENON_VERSION}}, 1);
}

void Metrics::performed(const plan::Action& action) { std::visit(Count{*this}, action); }

}  // namespace tenon::controllers
