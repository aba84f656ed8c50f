// SPDX-License-Identifier: Apache-2.0
#include "controllers/nodeclass/controller.h"

#include <algorithm>
#include <tuple>

#include "base/text.h"
#include "controllers/apply_each.h"
#include "model/condition_set.h"
#include "model/generations.h"
#include "model/kwok.h"
#include "model/labels.h"
#include "model/unreadable.h"

namespace tenon::controllers::nodeclass {
namespace {

constexpr Duration kResolveInterval = 1min;  // subnets change most often
constexpr Duration kStampInterval = 5s;
constexpr Duration kUntilSeen = 100ms;      // until a patch is in the cache
constexpr Duration kWaitForClaims = 10min;  // the end of a claim reconciles the class anyway
constexpr size_t kNamedClaims = 5;          // in the event that names what a deletion waits for

bool has_finalizer(const model::NodeClass& node_class) {
  const auto& all = node_class.meta.finalizers;
  return std::find(all.begin(), all.end(), model::kFinalizerNodeClass) != all.end();
}

std::string name_some(const std::vector<std::string>& names) {
  const size_t shown = std::min(names.size(), kNamedClaims);
  std::string text = join(std::span(names).first(shown), ", ");
  if (names.size() > shown) text += " and " + std::to_string(names.size() - shown) + " other(s)";
  return text;
}

// A Provisioner has no finalizer for its inline class: its NodeClaims, which own instances, end only after it. Nothing
// outside the cluster belongs to a KWOKNodeClass, and Karpenter would never remove the finalizer from it.
bool needs_finalizer(const model::NodeClass& node_class) {
  const std::string& name = node_class.meta.name;
  return !model::is_inline_provider(name) && !model::is_kwok_class(name) && !has_finalizer(node_class);
}

// The part of a class of v0.27 that karpenter-global-settings decides; it changes without a new generation.
auto settings_of(const model::NodeClass& node_class) {
  return std::tie(node_class.instance_profile, node_class.tags, node_class.ami_selector_terms, node_class.pod_eni,
                  node_class.eni_limited_pods);
}

// True if the class needs another reconcile at once. Results of resolving the class, and errors whose text differs each
// time, do not count: the periodic reconcile handles them.
bool asks_for_more(const model::NodeClass& before, const model::NodeClass& after) {
  return before.meta.generation != after.meta.generation || before.meta.finalizers != after.meta.finalizers ||
         before.meta.annotations != after.meta.annotations || before.meta.deleting() != after.meta.deleting() ||
         settings_of(before) != settings_of(after);
}

// Emits an event and a log line for each new problem (status_events reports the changed condition). A condition that
// only follows from another one is not repeated.
void warn_of_refusals(const model::NodeClass& before, const model::NodeClass& after, plan::Plan& plan) {
  for (const model::Condition& now : after.conditions) {
    if (now.status != "False" || now.type == "Ready" || now.reason == "DependenciesNotReady") continue;
    const model::Condition* then = model::find_condition(before.conditions, now.type);
    const bool known = then && then->status == now.status && then->reason == now.reason && then->message == now.message;
    if (known) continue;
    const plan::ObjectRef about = plan::ref(after);
    plan.event(about, "Warning", now.reason, now.message);
    plan.log.push_back({.message = about.kind + " " + about.name + " launches nothing: " + now.type + ": " +
                                   now.reason + ": " + now.message,
                        .level = log::Level::kWarn});
  }
}

}  // namespace

Controller::Controller(Context& context, cloud::NodeClassReader& classes)
    : context_(context),
      classes_(classes),
      loop_(context.runtime, {.name = "nodeclass", .workers = 2, .log = context.log, .metrics = context.metrics.loops},
            [this](const std::string& key, const std::stop_token& stop) { return reconcile(key, stop); }) {
  context_.cluster.node_classes.on_change([this](const auto& change) {
    if (!change.before || !change.after || asks_for_more(*change.before, *change.after)) loop_.add(change.key);
  });
  context_.cluster.claims.on_change([this](const auto& change) {
    if (!change.after) loop_.add(change.before->node_class_ref.key());
  });
}

Result<Next> Controller::reconcile(const std::string& name, const std::stop_token& stop) {
  const auto node_class = context_.cluster.node_classes.get(name);
  if (!node_class && model::is_inline_provider(name)) return clean_up_inline(name, stop);
  if (!node_class || !model::unreadable(*node_class).empty()) return Next{};
  if (node_class->meta.deleting()) return end(*node_class, stop);
  plan::Plan plan;
  const bool asks_cloud = !model::is_kwok_class(name);
  const bool blank = asks_cloud && model::find_condition(node_class->conditions, "Ready") == nullptr;
  if (needs_finalizer(*node_class) || blank) {
    model::NodeClass after = *node_class;
    if (needs_finalizer(after)) after.meta.finalizers.emplace_back(model::kFinalizerNodeClass);
    // Ready is Unknown, not absent, until the cloud has answered.
    const model::ConditionSet unknown({&after.conditions, after.meta.created_at, after.meta.generation},
                                      model::kUnreservedClassStatus, context_.runtime.now());
    plan.add(plan::PatchNodeClass{*node_class, after});
    TRY(context_.applier.apply(plan, stop));
    return Next{kUntilSeen};
  }
  const std::string hash = classes_.hash(*node_class), version = classes_.hash_version();
  std::vector<model::NodePool> pools;
  for (const auto& pool : context_.cluster.pools.list()) {
    if (pool->node_template.node_class_ref.key() == name && !pool->meta.deleting()) pools.push_back(*pool);
  }
  model::NodeClass resolved = TRY(classes_.resolve(*node_class, pools, stop));
  if (!hash.empty()) {
    auto& annotations = resolved.meta.annotations;
    annotations[std::string(model::kAnnotationNodeClassHash)] = hash;
    annotations[std::string(model::kAnnotationNodeClassHashVersion)] = version;
  }
  if (resolved != *node_class) plan.add(plan::PatchNodeClass{*node_class, resolved});
  warn_of_refusals(*node_class, resolved, plan);
  TRY(context_.applier.apply(plan, stop));
  if (hash.empty() || !stamp_claims({node_class->meta.name, hash, version}, stop)) return Next{kResolveInterval};
  return Next{kStampInterval};
}

bool Controller::stamp_claims(const ClassHash& hash, const std::stop_token& stop) {
  auto claims = context_.cluster.claims.list();
  std::erase_if(claims, [&](const auto& claim) { return !needs_stamp(hash, *claim); });
  const auto in_time = [&, ends = context_.runtime.now() + kStampTime] { return context_.runtime.now() < ends; };
  const auto stamp = [&](const model::NodeClaim& claim) { return decide_stamp(hash, claim); };
  const Status stamped = apply_each(context_.applier, claims, stamp, in_time, stop);
  if (!stamped && stamped.error().code != Code::kConflict)
    context_.log.failure("nodeclass.hash", hash.node_class, stamped.error());
  return !claims.empty();
}

// Reads the API server, because running instances use what is removed afterwards. An unreadable claim may use any
// class.
Result<std::vector<std::string>> Controller::claims_of(const std::string& node_class,
                                                       const std::stop_token& stop) const {
  std::vector<std::string> claims;
  for (const auto& claim : TRY(context_.cluster.read_claims(stop))) {
    const std::string used = claim.node_class_ref.key();
    const bool unknown = used.empty() && !model::unreadable(claim).empty();
    if (used == node_class || unknown) claims.push_back(claim.meta.name);
  }
  return claims;
}

// The Provisioner is gone, or names an AWSNodeTemplate now. The end of its last claim reconciles the class again.
Result<Next> Controller::clean_up_inline(const std::string& name, const std::stop_token& stop) {
  const std::vector<std::string> claims = TRY(claims_of(name, stop));
  if (!claims.empty()) return Next{};
  model::NodeClass gone;
  gone.meta.name = name;
  plan::Plan plan;
  plan.add(plan::CleanUpNodeClass{gone});
  TRY(context_.applier.apply(plan, stop));
  return Next{};
}

Result<Next> Controller::end(const model::NodeClass& node_class, const std::stop_token& stop) {
  if (!has_finalizer(node_class)) return Next{};
  const std::vector<std::string> claims = TRY(claims_of(node_class.meta.name, stop));
  plan::Plan plan;
  if (!claims.empty()) {
    plan.event(plan::ref(node_class), "Normal", "WaitingOnNodeClaimTermination",
               "Waiting on NodeClaim termination for " + name_some(claims));
    TRY(context_.applier.apply(plan, stop));
    return Next{kWaitForClaims};
  }
  plan.add(plan::CleanUpNodeClass{node_class});
  model::NodeClass after = node_class;
  std::erase(after.meta.finalizers, std::string(model::kFinalizerNodeClass));
  plan.add(plan::PatchNodeClass{node_class, after});
  TRY(context_.applier.apply(plan, stop));
  return Next{};
}

}  // namespace tenon::controllers::nodeclass
