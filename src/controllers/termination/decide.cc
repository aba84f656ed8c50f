// SPDX-License-Identifier: Apache-2.0
#include "controllers/termination/decide.h"

#include <algorithm>
#include <array>

#include "model/condition_set.h"
#include "model/labels.h"

namespace tenon::controllers::termination {
namespace {

using model::Pod;

const model::Taint& disrupted() {
  static const model::Taint taint{std::string(model::kTaintDisrupted), "", "NoSchedule", std::nullopt};
  return taint;
}

bool critical(const Pod& pod) {
  return pod.spec->priority_class_name == "system-cluster-critical" ||
         pod.spec->priority_class_name == "system-node-critical";
}

// Tiers in the order in which they leave.
size_t tier(const Pod& pod) { return (critical(pod) ? 2u : 0u) + (pod.owned_by_daemon_set() ? 1u : 0u); }

bool do_not_disrupt(const Pod& pod) {
  return model::lookup(pod.meta.annotations, model::kAnnotationDoNotDisrupt) == "true";
}

std::optional<Instant> node_deadline(const View& view) {
  if (!view.claim) return std::nullopt;
  return parse_rfc3339(model::lookup(view.claim->meta.annotations, model::kAnnotationTerminationTimestamp));
}

std::string eviction_reason(const View& view) {
  const auto* c = view.claim ? model::find_condition(view.claim->conditions, model::kDisruptionReason) : nullptr;
  return c && !c->reason.empty() ? c->reason : "Forceful Termination";
}

// Past this moment the pod is deleted rather than evicted, so that it ends with its node.
bool forced(const Pod& pod, std::optional<Instant> deadline, Instant now) {
  if (!deadline) return false;
  if (pod.meta.deleted_at) return *pod.meta.deleted_at > *deadline;
  return pod.spec->termination_grace_seconds &&
         now > *deadline - std::chrono::seconds(*pod.spec->termination_grace_seconds);
}

void force(const Pod& pod, Instant deadline, Instant now, plan::Plan& plan) {
  const auto left = std::chrono::duration_cast<std::chrono::seconds>(deadline - now).count();
  const int64_t granted = std::max<int64_t>(left, 1);
  plan.event(plan::pod_ref(pod.meta), "Normal", "Disrupted",
             "Deleting the pod to accommodate the terminationTime " + format_rfc3339(deadline) +
                 " of the node. The pod was granted " + std::to_string(granted) + " seconds of grace-period of its " +
                 std::to_string(pod.spec->termination_grace_seconds.value_or(0)) +
                 " terminationGracePeriodSeconds. This bypasses the PDB of the pod and the do-not-disrupt annotation.");
  plan.add(plan::DeletePod{pod.meta.ns, pod.meta.name, pod.meta.uid, granted});
}

// Adds the evictions of the first tier that still has pods; how many pods the drain waits for.
size_t drain(const View& view, plan::Plan& plan) {
  std::array<std::vector<const Pod*>, 4> tiers;
  const auto deadline = node_deadline(view);
  size_t waiting = 0;
  for (const auto& pod : view.pods) {
    if (!drainable(*pod, view.now)) continue;
    ++waiting;
    if (forced(*pod, deadline, view.now)) {
      force(*pod, *deadline, view.now, plan);
    } else {
      tiers[tier(*pod)].push_back(pod.get());
    }
  }
  for (const auto& pods : tiers) {
    if (pods.empty()) continue;
    for (const Pod* pod : pods) {
      if (pod->meta.deleting() || do_not_disrupt(*pod) || view.backing_off.contains(pod->meta.uid)) continue;
      plan.add(plan::EvictPod{plan::pod_ref(pod->meta), plan::ref(view.node), eviction_reason(view)});
    }
    break;
  }
  return waiting;
}

void mark(const View& view, plan::Plan& plan) {
  model::Node node = view.node;
  const bool tainted =
      std::any_of(node.taints.begin(), node.taints.end(), [](const model::Taint& t) { return t.same(disrupted()); });
  if (!tainted) node.taints.push_back(disrupted());
  node.meta.labels[std::string(model::kLabelExcludeBalancers)] = "karpenter";
  plan.add_if_changed(view.node, node);
}

model::ConditionSet status_of(model::NodeClaim& claim, Instant now) {
  return model::ConditionSet({&claim.conditions, claim.meta.created_at, claim.meta.generation}, model::kNodeClaimStatus,
                             now);
}

// Records the end of the drain on the claim; false while the minimum has not passed.
bool drained(const View& view, model::NodeClaim& claim, plan::Plan& plan) {
  const auto* c = model::find_condition(claim.conditions, model::kDrained);
  if (c && c->status == "True") return true;
  if (!c) {
    status_of(claim, view.now).set_unknown(model::kDrained, "Draining", "");
    plan.look_again(kMinimumDrain);
    return false;
  }
  const Duration so_far = view.now - c->last_transition;
  if (so_far < kMinimumDrain) {
    plan.look_again(kMinimumDrain - so_far);
    return false;
  }
  status_of(claim, view.now).set_true(model::kDrained);
  status_of(claim, view.now).set_true(model::kVolumesDetached);
  return true;
}

void release(const View& view, plan::Plan& plan) {
  model::Node node = view.node;
  std::erase(node.meta.finalizers, std::string(model::kFinalizerTermination));
  plan.add_if_changed(view.node, node);
}

}  // namespace

bool drainable(const Pod& pod, Instant now) {
  if (pod.terminal() || pod.owned_by_node()) return false;
  for (const auto& toleration : pod.spec->tolerations) {
    if (toleration.tolerates(disrupted())) return false;
  }
  return !(pod.meta.deleted_at && now > *pod.meta.deleted_at + kStuckAfter);
}

Step decide(const View& view, std::optional<bool> instance_gone) {
  Step step;
  const auto& finalizers = view.node.meta.finalizers;
  if (!view.node.meta.deleting() ||
      std::find(finalizers.begin(), finalizers.end(), model::kFinalizerTermination) == finalizers.end()) {
    return step;
  }
  if (instance_gone.value_or(false)) {
    release(view, step.plan);
    return step;
  }
  if (view.claim && !view.claim->meta.deleting()) {
    step.plan.add(plan::DeleteNodeClaim{*view.claim, "node_deleted"});
  }
  mark(view, step.plan);
  const size_t waiting = drain(view, step.plan);
  model::NodeClaim claim = view.claim.value_or(model::NodeClaim{});
  if (waiting > 0) {
    if (view.claim) status_of(claim, view.now).set_unknown(model::kDrained, "Draining", "");
    step.plan.event(plan::ref(view.node), "Warning", "FailedDraining",
                    "Failed to drain node, " + std::to_string(waiting) + " pods are waiting to be evicted");
    step.plan.look_again(kDrainInterval);
  } else if (!view.claim) {
    release(view, step.plan);
  } else if (drained(view, claim, step.plan)) {
    if (instance_gone) {
      status_of(claim, view.now).set_true(model::kInstanceTerminating);
      step.plan.look_again(kInstancePoll);
    } else {
      step.ask_cloud = true;
    }
  }
  if (view.claim) step.plan.add_if_changed(*view.claim, claim);
  return step;
}

}  // namespace tenon::controllers::termination
