// SPDX-License-Identifier: Apache-2.0
#include "controllers/lifecycle/decide.h"

#include <algorithm>

#include "model/condition_set.h"
#include "model/labels.h"

namespace tenon::controllers::lifecycle {
namespace {

using model::ConditionSet;
using model::NodeClaim;
using model::Taint;

constexpr Duration kPollInterval = 5s;  // of an instance that is being terminated

ConditionSet status_of(NodeClaim& claim, Instant now) {
  return ConditionSet({&claim.conditions, claim.meta.created_at, claim.meta.generation}, model::kNodeClaimStatus, now);
}

bool has(const std::vector<std::string>& list, std::string_view entry) {
  return std::find(list.begin(), list.end(), entry) != list.end();
}

bool is_unregistered(const Taint& taint) {
  return taint.key == model::kTaintUnregistered && taint.effect == "NoExecute";
}

// The claim's labels, annotations and taints on its Node; finalizer and owner, so that neither outlives the other.
void sync_node(const NodeClaim& claim, model::Node& node) {
  if (!has(node.meta.finalizers, model::kFinalizerTermination)) {
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
  model::Node after = before;
  sync_node(claim, after);
  std::erase_if(after.taints, is_unregistered);
  after.meta.labels[std::string(model::kLabelRegistered)] = "true";
  plan.add_if_changed(before, after);
  claim.node_name = after.meta.name;
  status.set_true(model::kRegistered);
}

// The first reason why the node cannot be used yet; empty if it can.
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
  after.meta.labels[std::string(model::kLabelInitialized)] = "true";
  plan.add_if_changed(node, after);
  status.set_true(model::kInitialized);
}

// Deletes a claim that did not get this far in time. True if it did so.
bool enforce_ttl(const View& view, const NodeClaim& claim, plan::Plan& plan) {
  const auto expired = [&](std::string_view type, Duration ttl, const char* why) {
    const model::Condition* c = model::find_condition(claim.conditions, type);
    if (!c || c->status == "True") return false;
    const Duration age = view.now - c->last_transition;
    if (age < ttl) {
      plan.look_again(ttl - age);
      return false;
    }
    plan.add(plan::DeleteNodeClaim{claim, why});
    return true;
  };
  return expired(model::kLaunched, kLaunchTtl, "launch_timeout") ||
         expired(model::kRegistered, kRegistrationTtl, "registration_timeout");
}

}  // namespace

bool needs_launch(const NodeClaim& claim) {
  if (!has(claim.meta.finalizers, model::kFinalizerTermination)) return false;
  const model::Condition* launched = model::find_condition(claim.conditions, model::kLaunched);
  return !launched || launched->status == "Unknown";
}

plan::Plan decide_launched(const View& view, const cloud::Instance& instance) {
  NodeClaim claim = view.claim;
  model::StringMap labels = instance.labels;
  for (const auto& [key, value] : claim.meta.labels) labels[key] = value;  // its own win
  claim.meta.labels = std::move(labels);
  for (const auto& [key, value] : instance.annotations) claim.meta.annotations[key] = value;
  claim.provider_id = instance.provider_id;
  claim.image_id = instance.image_id;
  claim.capacity = instance.capacity;
  claim.allocatable = instance.allocatable;
  status_of(claim, view.now).set_true(model::kLaunched);
  plan::Plan plan;
  plan.add_if_changed(view.claim, claim);
  plan.look_again(Duration(0));
  return plan;
}

plan::Plan decide_launch_failed(const View& view, const Error& error) {
  plan::Plan plan;
  std::string message = error.message.substr(0, kMaxConditionMessage);
  if (message.size() < error.message.size()) message += "...";
  if (error.code == Code::kInsufficientCapacity) {
    plan.event(plan::ref(view.claim), "Warning", "InsufficientCapacityError",
               "NodeClaim " + view.claim.meta.name + " event: " + message);
    plan.add(plan::DeleteNodeClaim{view.claim, "insufficient_capacity"});
    return plan;
  }
  if (error.code == Code::kConflict) {
    plan.add(plan::DeleteNodeClaim{view.claim, "nodeclass_not_ready"});
    return plan;
  }
  NodeClaim claim = view.claim;
  status_of(claim, view.now).set_unknown(model::kLaunched, "LaunchFailed", message);
  plan.add_if_changed(view.claim, claim);
  plan.look_again(error.retry_after.value_or(1s));
  return plan;
}

plan::Plan decide(const View& view) {
  plan::Plan plan;
  NodeClaim claim = view.claim;
  if (!has(claim.meta.finalizers, model::kFinalizerTermination)) {
    // First alone: nothing is bought for a claim that could vanish without us.
    claim.meta.finalizers.emplace_back(model::kFinalizerTermination);
    plan.add_if_changed(view.claim, claim);
    plan.look_again(Duration(0));
    return plan;
  }
  status_of(claim, view.now);
  if (claim.is(model::kLaunched)) {
    if (claim.is(model::kRegistered)) {
      if (!claim.is(model::kInitialized)) initialize(view, claim, plan);
    } else if (model::condition_is(claim.conditions, model::kRegistered, "Unknown")) {
      register_node(view, claim, plan);  // initialization follows when the Node is seen without its taint
    }
  }
  plan.add_if_changed(view.claim, claim);
  enforce_ttl(view, claim, plan);
  return plan;
}

Ending decide_ending(const View& view, std::optional<bool> instance_gone) {
  Ending ending;
  NodeClaim claim = view.claim;
  if (!has(claim.meta.finalizers, model::kFinalizerTermination)) return ending;
  if (claim.termination_grace_period &&
      model::lookup(claim.meta.annotations, model::kAnnotationTerminationTimestamp).empty()) {
    const std::string deadline = format_rfc3339(*claim.meta.deleted_at + *claim.termination_grace_period);
    claim.meta.annotations[std::string(model::kAnnotationTerminationTimestamp)] = deadline;
    ending.plan.event(plan::ref(claim), "Warning", "TerminationGracePeriodExpiring",
                      "All pods will be deleted by " + deadline);
  }
  if (claim.is(model::kRegistered) && !view.nodes.empty()) {
    for (const model::Node& node : view.nodes) {
      if (!node.meta.deleting()) ending.plan.add(plan::DeleteNode{node.meta.name, node.meta.uid});
    }
    ending.plan.add_if_changed(view.claim, claim);
    return ending;  // the Node's own drain goes first; its end wakes this claim
  }
  if (!claim.provider_id.empty() && !instance_gone) {
    ending.ask_cloud = true;
    return ending;
  }
  if (!claim.provider_id.empty()) status_of(claim, view.now).set_true(model::kInstanceTerminating);
  if (claim.provider_id.empty() || *instance_gone) {
    std::erase(claim.meta.finalizers, std::string(model::kFinalizerTermination));
  } else {
    ending.plan.look_again(kPollInterval);
  }
  ending.plan.add_if_changed(view.claim, claim);
  return ending;
}

}  // namespace tenon::controllers::lifecycle
