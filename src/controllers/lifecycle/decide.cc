// SPDX-License-Identifier: Apache-2.0
#include "controllers/lifecycle/decide.h"

#include <algorithm>

#include "controllers/lifecycle/registration.h"
#include "log/messages.h"
#include "model/adoption.h"
#include "model/condition_set.h"
#include "model/labels.h"
#include "model/unreadable.h"
#include "state/open_launches.h"

namespace tenon::controllers::lifecycle {
namespace {

using model::ConditionSet;
using model::NodeClaim;

constexpr const char* kLaunchTimeout = "launch_timeout";
constexpr const char* kRegistrationTimeout = "registration_timeout";
constexpr Duration kPollInterval = 5s;  // of an instance that is being terminated

// Deletes a claim that did not launch or register in time. Returns true if it did so.
bool enforce_ttl(const View& view, const NodeClaim& claim, plan::Plan& plan) {
  const auto expired = [&](std::string_view type, Duration ttl, const char* why) {
    const model::Condition* c = model::find_condition(claim.conditions, type);
    if (!c || c->status == "True") return false;
    const Duration age = view.now - c->last_transition;
    if (age < ttl) {
      plan.requeue_after(ttl - age);
      return false;
    }
    plan.add(plan::DeleteNodeClaim{claim, why});
    log::Fields about = plan::log_fields(claim);
    about.more = {{log::Key::kTimeout, format_go_duration(ttl)}, {log::Key::kReason, why}};
    plan.log.push_back(log::step(log::kTimedOut, std::move(about)));
    return true;
  };
  return expired(model::kLaunched, kLaunchTtl, kLaunchTimeout) ||
         expired(model::kRegistered, kRegistrationTtl, kRegistrationTimeout);
}

plan::Plan decide_class_missing(const View& view, bool deleting) {
  const std::string why =
      "resolving node class, " + view.claim.node_class_ref.name + (deleting ? " is being deleted" : " is not found");
  plan::Plan plan;
  plan.event(plan::ref(view.claim), "Warning", "FailedResolvingNodeClass", "Failed resolving NodeClass");
  for (plan::Action& action : decide_launch_failed(view, {Code::kInsufficientCapacity, why, std::nullopt}).actions) {
    plan.actions.push_back(std::move(action));
  }
  return plan;
}

plan::Plan decide_over_limits(const View& view, const std::string& which) {
  plan::Plan plan;
  plan.event(plan::ref(view.claim), "Warning", "LimitExceeded",
             "NodeClaim " + view.claim.meta.name + " event: " + which);
  plan.add(plan::DeleteNodeClaim{view.claim, "limit_exceeded"});
  plan.log.push_back(
      {"nodeclaim/" + view.claim.meta.name + " is not launched: " + which, plan::log_fields(view.claim)});
  return plan;
}

}  // namespace

bool needs_launch(const NodeClaim& claim) {
  if (!has_our_finalizer(claim.meta)) return false;
  const model::Condition* launched = model::find_condition(claim.conditions, model::kLaunched);
  return !launched || launched->status == "Unknown";
}

bool registers(const View& view) {
  return view.claim.is(model::kLaunched) && view.nodes.size() == 1 &&
         model::condition_is(view.claim.conditions, model::kRegistered, "Unknown");
}

plan::Plan decide_launched(const View& view, const cloud::Instance& instance) {
  NodeClaim claim = view.claim;
  model::StringMap labels = instance.labels;
  for (const auto& [key, value] : claim.meta.labels) labels[key] = value;  // the claim's own labels win
  claim.meta.labels = std::move(labels);
  for (const auto& [key, value] : instance.annotations) claim.meta.annotations[key] = value;
  claim.provider_id = instance.provider_id;
  claim.image_id = instance.image_id;
  claim.capacity = instance.capacity;
  claim.allocatable = instance.allocatable;
  status_of(claim, view.now).set_true(model::kLaunched);
  plan::Plan plan;
  register_node(view, claim, plan);  // no Node can exist in the cache yet; the same write says so
  plan.add_if_changed(view.claim, claim);
  return plan;
}

std::string adopted_instance(const NodeClaim& claim) {
  return std::string(model::lookup(claim.meta.annotations, model::kAnnotationInstance));
}

plan::Plan decide_adopted(const View& view, std::optional<cloud::Instance> instance) {
  if (!instance || instance->deleting) {
    plan::Plan plan;
    plan.add(plan::DeleteNodeClaim{view.claim, "instance_gone"});
    plan.log.push_back(
        {"nodeclaim/" + view.claim.meta.name + " adopts no instance: " + adopted_instance(view.claim) + " has ended",
         plan::log_fields(view.claim)});
    return plan;
  }
  for (const model::Node& node : view.nodes) {
    instance->capacity = node.capacity;
    instance->allocatable = node.allocatable;
  }
  return decide_launched(view, *instance);
}

plan::Plan decide_launch_failed(const View& view, const Error& error, const std::string& reason,
                                const std::optional<cloud::LaunchWarning>& warning) {
  plan::Plan plan;
  if (warning) plan.event(plan::ref(view.claim), "Warning", warning->reason, warning->message);
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
  status_of(claim, view.now).set_unknown(model::kLaunched, reason, message);
  plan.add_if_changed(view.claim, claim);
  plan.requeue_after(error.retry_after.value_or(1s));
  return plan;
}

plan::Plan decide_launch_held(const View& view, const state::Hold& hold) {
  plan::Plan plan;
  NodeClaim claim = view.claim;
  status_of(claim, view.now).set_unknown(model::kLaunched, hold.reason, hold.message);
  plan.add_if_changed(view.claim, claim);
  if (hold.until) plan.requeue_after(std::max<Duration>(*hold.until - view.now, 0s));
  return plan;
}

bool usable(const LaunchView& launch) {
  return launch.node_class && !launch.node_class->meta.deleting() && model::unreadable(*launch.node_class).empty();
}

plan::Plan decide_launch(const View& view, const LaunchView& launch) {
  const model::NodeClass* node_class = launch.node_class.get();
  if (!node_class || node_class->meta.deleting()) return decide_class_missing(view, node_class != nullptr);
  if (const auto why = model::unreadable(*node_class); !why.empty()) {
    const plan::ObjectRef about = plan::ref(*node_class);
    const std::string what = about.kind + " " + about.name + " cannot be read: " + std::string(why);
    return decide_launch_failed(view, {Code::kInvalid, what, std::nullopt}, "NodeClassUnreadable");
  }
  if (!launch.unchecked.empty()) {
    return decide_launch_failed(view, {Code::kUnavailable, launch.unchecked, std::nullopt}, "LimitsUnchecked");
  }
  if (!launch.over_limits.empty()) return decide_over_limits(view, launch.over_limits);
  plan::Plan plan;
  plan.add(plan::LaunchInstance{view.claim, *node_class, launch.types});
  return plan;
}

plan::Plan decide(const View& view) {
  plan::Plan plan;
  NodeClaim claim = view.claim;
  if (!has_our_finalizer(claim.meta)) {
    // Alone and first: nothing is launched for a claim that could vanish without us.
    claim.meta.finalizers.emplace_back(model::kFinalizerTermination);
    plan.add_if_changed(view.claim, claim);
    return plan;
  }
  hydrate(claim.node_class_ref, claim.meta);
  status_of(claim, view.now);
  if (claim.is(model::kLaunched)) {
    model::mark_adopted(claim.meta, view.now);
    if (claim.is(model::kRegistered)) {
      follow_node(view, claim, plan);
    } else if (model::condition_is(claim.conditions, model::kRegistered, "Unknown")) {
      register_node(view, claim, plan);  // initialization follows when the cache shows the Node without its taint
    }
  }
  plan.add_if_changed(view.claim, claim);
  enforce_ttl(view, claim, plan);
  return plan;
}

std::optional<Outcome> outcome_of(const plan::Plan& plan) {
  for (const plan::Action& action : plan.actions) {
    if (const auto* patch = std::get_if<plan::PatchNodeClaim>(&action)) {
      if (!patch->before.is(model::kRegistered) && patch->after.is(model::kRegistered)) return Outcome{true, "", ""};
    }
    if (const auto* gone = std::get_if<plan::DeleteNodeClaim>(&action)) {
      if (gone->why == kRegistrationTimeout) return Outcome{false, "RegistrationFailed", "Failed to register node"};
      const auto* launched = model::find_condition(gone->claim.conditions, model::kLaunched);
      const bool held =
          launched && (launched->reason == state::kLaunchesFrozen || launched->reason == state::kLaunchCapReached);
      if (gone->why == kLaunchTimeout && launched && !held) return Outcome{false, launched->reason, launched->message};
    }
  }
  return std::nullopt;
}

namespace {

// The Node has its label before the claim has its condition: a process may end between the two writes, or the second
// write may fail for a while. Pods can run on the Node after the first write.
bool has_registered_node(const View& view) {
  const auto labelled = [](const model::Node& node) {
    return model::lookup(node.meta.labels, model::kLabelRegistered) == "true";
  };
  if (view.claim.is(model::kRegistered)) return !view.nodes.empty();
  return std::any_of(view.nodes.begin(), view.nodes.end(), labelled);
}

}  // namespace

plan::Plan decide_ending(const View& view, std::optional<bool> instance_gone) {
  plan::Plan plan;
  NodeClaim claim = view.claim;
  if (!has_our_finalizer(claim.meta)) return plan;
  if (claim.termination_grace_period &&
      model::lookup(claim.meta.annotations, model::kAnnotationTerminationTimestamp).empty()) {
    const std::string deadline = format_rfc3339(*claim.meta.deleted_at + *claim.termination_grace_period);
    claim.meta.annotations[std::string(model::kAnnotationTerminationTimestamp)] = deadline;
    plan.event(plan::ref(claim), "Warning", "TerminationGracePeriodExpiring",
               "All pods will be deleted by " + deadline);
    log::Fields about = plan::log_fields(claim);
    about.more = {{log::Key::kTerminationTimestamp, deadline}};
    plan.log.push_back(log::step(log::kAnnotatedNodeClaim, std::move(about)));
  }
  if (has_registered_node(view)) {
    for (const model::Node& node : view.nodes) {
      if (!node.meta.deleting()) plan.add(plan::DeleteNode{node.meta.name, node.meta.uid});
    }
    plan.add_if_changed(view.claim, claim);
    return plan;  // the Node drains first; its end reconciles this claim
  }
  if (!claim.provider_id.empty() && !instance_gone) {
    plan::Plan terminate;
    terminate.add(plan::TerminateInstance{claim.provider_id});
    return terminate;
  }
  if (!claim.provider_id.empty()) status_of(claim, view.now).set_true(model::kInstanceTerminating);
  if (claim.provider_id.empty() || *instance_gone) {
    std::erase(claim.meta.finalizers, std::string(model::kFinalizerTermination));
    plan.log.push_back(log::step(log::kDeletedNodeClaim, plan::log_fields(claim)));
  } else {
    plan.requeue_after(kPollInterval);
  }
  plan.add_if_changed(view.claim, claim);
  return plan;
}

}  // namespace tenon::controllers::lifecycle
