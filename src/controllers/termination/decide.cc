// The controller calls decide() for a Node that is being deleted, again and again until its finalizer is removed. Each
// call runs the steps from the first one: deletion of the NodeClaim, taint, eviction of pods, time for late pods,
// detachment of volumes, termination of the instance, removal of the finalizer. The first step that waits ends the call
// and sets when to decide again. The order is the safety: an instance is terminated only if every step before it is
// done in the same view.
// SPDX-License-Identifier: Apache-2.0
#include "controllers/termination/decide.h"

#include <algorithm>

#include "controllers/termination/drain.h"
#include "controllers/termination/volumes.h"
#include "log/messages.h"
#include "model/condition_set.h"
#include "model/labels.h"

namespace tenon::controllers::termination {
namespace {

// Reasons of the conditions; each is also the message.
constexpr const char* kDraining = "Draining";
constexpr const char* kAwaiting = "AwaitingVolumeDetachment";
constexpr const char* kElapsed = "TerminationGracePeriodElapsed";

log::Fields log_fields(const View& view) {
  log::Fields about;
  if (view.claim) about = plan::log_fields(*view.claim);
  about.node = view.node.meta.name;
  about.provider_id = view.node.provider_id;
  return about;
}

// Taints the Node, so that no pod is bound to it, and excludes it from load balancers.
void mark(const View& view, plan::Plan& plan) {
  model::Node node = view.node;
  const bool tainted =
      std::any_of(node.taints.begin(), node.taints.end(), [](const model::Taint& t) { return t.same(disrupted()); });
  if (!tainted) node.taints.push_back(disrupted());
  node.meta.labels[std::string(model::kLabelExcludeBalancers)] = "karpenter";
  plan.add_if_changed(view.node, node);
  if (node == view.node) return;
  log::Fields about = log_fields(view);
  about.more = {{log::Key::kTaintKey, disrupted().key},
                {log::Key::kTaintValue, disrupted().value},
                {log::Key::kTaintEffect, disrupted().effect}};
  plan.log.push_back(log::step(log::kTaintedNode, std::move(about)));
}

model::ConditionSet status_of(model::NodeClaim& claim, Instant now) {
  return model::ConditionSet({&claim.conditions, claim.meta.created_at, claim.meta.generation}, model::kNodeClaimStatus,
                             now);
}

// Adds the evictions that are due. Returns true while pods remain. While the drain is held, evictions are dropped.
bool wait_for_pods(const View& view, model::NodeClaim& claim, plan::Plan& plan) {
  plan::Plan evictions;
  const size_t waiting = drain(view, view.held_until ? evictions : plan);
  if (waiting == 0) return false;
  if (view.held_until) {  // its release, too, reconciles the node
    status_of(claim, view.now).set_unknown(model::kDrained, kDraining, kDraining);
    plan.requeue_after(*view.held_until - view.now);
    return true;
  }
  status_of(claim, view.now).set_unknown(model::kDrained, kDraining, kDraining);
  plan.event(plan::ref(view.node), "Warning", "FailedDraining",
             "Failed to drain node, " + std::to_string(waiting) + " pods are waiting to be evicted");
  plan.requeue_after(kDrainInterval);
  return true;
}

// A drain lasts at least kMinimumDrain, counted from when the claim's condition says that it began.
bool wait_for_late_pods(const View& view, model::NodeClaim& claim, plan::Plan& plan) {
  if (!view.claim || claim.is(model::kDrained)) return false;
  if (!model::find_condition(claim.conditions, model::kDrained)) {
    status_of(claim, view.now).set_unknown(model::kDrained, kDraining, kDraining);
  }
  const Duration so_far = view.now - model::find_condition(claim.conditions, model::kDrained)->last_transition;
  if (so_far < kMinimumDrain) {
    plan.requeue_after(kMinimumDrain - so_far);
    return true;
  }
  status_of(claim, view.now).set_true(model::kDrained);
  return false;
}

// Returns true while volumes are attached and the termination grace period has not elapsed.
bool wait_for_volumes(const View& view, model::NodeClaim& claim, plan::Plan& plan) {
  const std::vector<std::string> attached = attached_volumes(view);
  const auto deadline = deadline_of(view);
  if (attached.empty()) {
    status_of(claim, view.now).set_true(model::kVolumesDetached);
    return false;
  }
  if (deadline && view.now >= *deadline) {
    status_of(claim, view.now).set_false(model::kVolumesDetached, kElapsed, kElapsed);
    return false;
  }
  status_of(claim, view.now).set_unknown(model::kVolumesDetached, kAwaiting, kAwaiting);
  plan.event(plan::ref(view.node), "Normal", kAwaiting,
             "Awaiting deletion of bound volumeattachments (" + name_some(attached) + ")");
  plan.requeue_after(kDrainInterval);
  return true;
}

// Removes our finalizer: the API server then deletes the Node.
void release(const View& view, plan::Plan& plan) {
  model::Node node = view.node;
  std::erase(node.meta.finalizers, std::string(model::kFinalizerTermination));
  plan.add_if_changed(view.node, node);
  plan.log.push_back(log::step(log::kDeletedNode, log_fields(view)));
}

// Runs the steps in order; each records in `claim` what it waits for. Returns false if the cloud's answer is needed.
bool proceed(const View& view, std::optional<bool> instance_gone, model::NodeClaim& claim, plan::Plan& plan) {
  if (wait_for_pods(view, claim, plan) || wait_for_late_pods(view, claim, plan) ||
      wait_for_volumes(view, claim, plan)) {
    return true;
  }
  if (!view.claim) {
    release(view, plan);
    return true;
  }
  if (!instance_gone) return false;
  status_of(claim, view.now).set_true(model::kInstanceTerminating);
  plan.requeue_after(kInstancePoll);
  return true;
}

}  // namespace

plan::Plan decide(const View& view, std::optional<bool> instance_gone) {
  plan::Plan plan;
  const auto& finalizers = view.node.meta.finalizers;
  if (!view.node.meta.deleting() ||
      std::find(finalizers.begin(), finalizers.end(), model::kFinalizerTermination) == finalizers.end()) {
    return plan;
  }
  if (instance_gone.value_or(false)) {
    release(view, plan);
    return plan;
  }
  if (view.claim && !view.claim->meta.deleting()) plan.add(plan::DeleteNodeClaim{*view.claim, ""});
  if (const auto deadline = deadline_of(view)) {
    plan.event(plan::ref(view.node), "Warning", "TerminationGracePeriodExpiring",
               "All pods will be deleted by " + format_rfc3339(*deadline));
  }
  mark(view, plan);
  model::NodeClaim claim = view.claim.value_or(model::NodeClaim{});
  // Claims are found by the provider id of the Node; an empty one must never become a request.
  if (!proceed(view, instance_gone, claim, plan) && !view.node.provider_id.empty()) {
    plan::Plan terminate;
    terminate.add(plan::TerminateInstance{view.node.provider_id});
    return terminate;
  }
  if (view.claim) {
    if (!plan.groups.empty()) plan.begin_group();
    plan.add_if_changed(*view.claim, claim);
  }
  return plan;
}

}  // namespace tenon::controllers::termination
