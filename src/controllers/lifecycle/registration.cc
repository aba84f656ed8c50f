// SPDX-License-Identifier: Apache-2.0
#include "controllers/lifecycle/registration.h"

#include <algorithm>

#include "base/text.h"
#include "log/messages.h"
#include "model/condition_set.h"
#include "model/labels.h"
#include "model/node_class_label.h"
#include "state/open_launches.h"

namespace tenon::controllers::lifecycle {
namespace {

using model::ConditionSet;
using model::NodeClaim;
using model::Taint;

constexpr Duration kHookInterval = 2s;  // until the provider is called again after an incomplete answer

bool is_unregistered(const Taint& taint) {
  return taint.key == model::kTaintUnregistered && taint.effect == "NoExecute";
}

// Copies the claim's labels, annotations and taints to its Node; adds finalizer and owner, so that neither outlives the
// other.
void sync_node(const NodeClaim& claim, model::Node& node) {
  if (!has_our_finalizer(node.meta)) {
    node.meta.finalizers.emplace_back(model::kFinalizerTermination);
  }
  const bool owned = std::any_of(node.meta.owners.begin(), node.meta.owners.end(),
                                 [&](const auto& owner) { return owner.uid == claim.meta.uid; });
  if (!owned) {
    node.meta.owners.push_back({.api_version = "karpenter.sh/v1",
                                .kind = "NodeClaim",
                                .name = claim.meta.name,
                                .uid = claim.meta.uid,
                                .controller = false,
                                .block_owner_deletion = true});
  }
  for (const auto& [key, value] : claim.meta.labels) node.meta.labels[key] = value;
  for (const auto& [key, value] : claim.meta.annotations) node.meta.annotations[key] = value;
  if (model::lookup(node.meta.labels, model::kLabelDoNotSyncTaints) == "true") return;
  const auto merge = [&](const std::vector<Taint>& taints) {
    for (const Taint& taint : taints) {
      const bool there =
          std::any_of(node.taints.begin(), node.taints.end(), [&](const Taint& t) { return t.same(taint); });
      if (!there) node.taints.push_back(taint);
    }
  };
  merge(claim.taints);
  merge(claim.startup_taints);
}

}  // namespace

ConditionSet status_of(NodeClaim& claim, Instant now) {
  return ConditionSet({&claim.conditions, claim.meta.created_at, claim.meta.generation}, model::kNodeClaimStatus, now);
}

bool has_our_finalizer(const model::ObjectMeta& meta) {
  return std::find(meta.finalizers.begin(), meta.finalizers.end(), model::kFinalizerTermination) !=
         meta.finalizers.end();
}

void register_node(const View& view, NodeClaim& claim, plan::Plan& plan) {
  ConditionSet status = status_of(claim, view.now);
  if (view.nodes.empty() || claim.provider_id.empty()) {
    status.set_unknown(model::kRegistered, "NodeNotFound", "Node not registered with cluster");
    return;
  }
  if (view.nodes.size() > 1) {
    status.set_false(model::kRegistered, "MultipleNodesFound", "Invariant violated, matched multiple nodes");
    return;
  }
  const model::Node& before = view.nodes.front();
  const bool labelled = model::lookup(before.meta.labels, model::kLabelRegistered) == "true";
  const bool tainted = std::any_of(before.taints.begin(), before.taints.end(), is_unregistered);
  if (!tainted && !labelled) {
    plan.event(plan::ref(claim), "Warning", "UnregisteredTaintMissing",
               "Missing karpenter.sh/unregistered taint which prevents registration related race conditions on "
               "Karpenter-managed nodes");
  }
  for (const auto& [key, value] : view.before_registration.labels) claim.meta.labels[key] = value;
  model::Node after = before;
  sync_node(claim, after);
  if (const auto& pending = view.before_registration.pending; !pending.empty()) {
    plan.add_if_changed(before, after);
    status.set_unknown(model::kRegistered, "RegistrationHookPending", join(pending, ", "));
    plan.requeue_after(kHookInterval);
    return;
  }
  std::erase_if(after.taints, is_unregistered);
  after.meta.labels[std::string(model::kLabelRegistered)] = "true";
  plan.add_if_changed(before, after);
  claim.node_name = after.meta.name;
  status.set_true(model::kRegistered);
  plan.log.push_back(log::step(log::kRegisteredNodeClaim, plan::log_fields(claim)));
}

namespace {

// Returns the first reason why the node is not usable yet; empty if it is.
std::pair<std::string, std::string> not_initialized(const NodeClaim& claim, const model::Node& node) {
  if (!node.ready()) return {"NodeNotReady", "Node status is NotReady"};
  for (const Taint& startup : claim.startup_taints) {
    for (const Taint& taint : node.taints) {
      if (taint.same(startup)) return {"StartupTaintsExist", "StartupTaint \"" + to_string(taint) + "\" still exists"};
    }
  }
  for (const Taint& taint : node.taints) {
    if (model::is_ephemeral_taint(taint)) {
      return {"KnownEphemeralTaintsExist", "KnownEphemeralTaint \"" + to_string(taint) + "\" still exists"};
    }
  }
  for (const auto& [name, amount] : claim.requests.entries()) {
    if (amount > 0 && node.allocatable.get(name) == 0) {
      return {"ResourceNotRegistered", "Resource \"" + name + "\" was requested but not registered"};
    }
  }
  return {};
}

}  // namespace

void initialize(const View& view, NodeClaim& claim, plan::Plan& plan) {
  ConditionSet status = status_of(claim, view.now);
  if (view.nodes.size() != 1) {
    status.set_unknown(model::kInitialized, "NodeNotFound", "Node not registered with cluster");
    return;
  }
  const model::Node& node = view.nodes.front();
  const auto [reason, message] = not_initialized(claim, node);
  if (!reason.empty()) {
    status.set_unknown(model::kInitialized, reason, message);
    return;
  }
  model::Node after = node;
  hydrate(claim.node_class_ref, after.meta);
  after.meta.labels[std::string(model::kLabelInitialized)] = "true";
  plan.add_if_changed(node, after);
  status.set_true(model::kInitialized);
  claim.meta.annotations.erase(std::string(state::kAnnotationPods));  // kube-scheduler decides from now on
  log::Fields about = plan::log_fields(claim);
  about.more = {{log::Key::kAllocatable, plan::log_amounts(node.allocatable)}};
  plan.log.push_back(log::step(log::kInitializedNodeClaim, std::move(about)));
}

void follow_node(const View& view, NodeClaim& claim, plan::Plan& plan) {
  if (!claim.is(model::kInitialized)) return initialize(view, claim, plan);
  for (const model::Node& before : view.nodes) {
    model::Node after = before;
    hydrate(claim.node_class_ref, after.meta);
    if (!before.meta.deleting()) plan.add_if_changed(before, after);
  }
}

void hydrate(const model::NodeClassRef& ref, model::ObjectMeta& meta) { model::add_node_class_label(ref, meta.labels); }

}  // namespace tenon::controllers::lifecycle
