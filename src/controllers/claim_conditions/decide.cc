// The controller calls decide() when a claim, its pool or its pods change, and every kDriftInterval. The reasons for
// drift are checked in Karpenter's order; the first one counts. An unknown fact (an unreadable requirement, types that
// are not cached, no answer of the cloud) is no drift: drift removes nodes.
// SPDX-License-Identifier: Apache-2.0
#include "controllers/claim_conditions/decide.h"

#include <algorithm>

#include "log/messages.h"
#include "model/condition_set.h"
#include "model/generations.h"
#include "model/labels.h"

namespace tenon::controllers::claim_conditions {
namespace {

using model::NodeClaim;

bool hash_differs(const NodeClaim& claim, const model::NodePool& pool) {
  const auto of = [](const model::StringMap& map, std::string_view key) { return model::lookup(map, key); };
  const auto mine = of(claim.meta.annotations, model::kAnnotationNodePoolHash);
  const auto wanted = of(pool.meta.annotations, model::kAnnotationNodePoolHash);
  const auto my_version = of(claim.meta.annotations, model::kAnnotationNodePoolHashVersion);
  const auto version = of(pool.meta.annotations, model::kAnnotationNodePoolHashVersion);
  return !mine.empty() && !wanted.empty() && !version.empty() && my_version == version && mine != wanted;
}

bool requirements_differ(const NodeClaim& claim, const model::NodePool& pool) {
  const auto wanted = model::Requirements::make(pool.node_template.requirements);
  if (!wanted) return false;  // the pool's own validation reports it
  return !model::Requirements::from_labels(claim.meta.labels).compatible(*wanted, false);
}

bool type_missing(const NodeClaim& claim, const std::vector<model::InstanceType>& types) {
  const auto label = [&](std::string_view key) { return model::lookup(claim.meta.labels, key); };
  const auto type = std::find_if(types.begin(), types.end(),
                                 [&](const auto& t) { return t.name == label(model::kLabelInstanceType); });
  if (type == types.end()) return true;
  // EC2 may convert a reserved instance to on-demand before the label follows; the provider decides which reservation
  // it is in. parity: drift.go instanceTypeNotFound
  const std::string_view capacity_type = label(model::kLabelCapacityType);
  const bool reserved = capacity_type == model::kCapacityReserved;
  return std::none_of(type->offerings.begin(), type->offerings.end(), [&](const model::Offering& o) {
    return o.zone == label(model::kLabelZone) &&
           (o.capacity_type == capacity_type || (reserved && o.capacity_type == model::kCapacityOnDemand));
  });
}

std::string drift_reason(const View& view) {
  if (hash_differs(view.claim, *view.pool)) return "NodePoolDrifted";
  if (requirements_differ(view.claim, *view.pool)) return "RequirementsDrifted";
  const bool old_enough = view.now - view.claim.meta.created_at >= kTypeMayBeMissing;
  if (view.types && old_enough && type_missing(view.claim, *view.types)) return "InstanceTypeNotFound";
  return view.provider_reason;
}

// Consolidatable is True once no pod was bound to or removed from the Node for the pool's consolidateAfter.
void judge_consolidatable(const model::NodePool& pool, Instant now, NodeClaim& claim, model::ConditionSet& status,
                          plan::Plan& plan) {
  if (pool.replicas) return;
  const auto* initialized = model::find_condition(claim.conditions, model::kInitialized);
  const bool counts = initialized && initialized->status == "True" && pool.consolidate_after;
  if (!counts) {
    status.clear(model::kConsolidatable);
    return;
  }
  const Instant since = claim.last_pod_event_at.value_or(initialized->last_transition);
  const Duration quiet = now - since;
  if (quiet < *pool.consolidate_after) {
    status.clear(model::kConsolidatable);
    plan.requeue_after(*pool.consolidate_after - quiet);
  } else {
    const bool was = claim.is(model::kConsolidatable);
    status.set_true(model::kConsolidatable);
    if (!was) plan.log.push_back(log::step(log::kMarkingConsolidatable, plan::log_fields(claim)));
  }
}

}  // namespace

plan::Plan decide(const View& view) {
  plan::Plan plan;
  if (!view.pool || view.claim.meta.deleting()) return plan;
  NodeClaim claim = view.claim;
  model::ConditionSet status({&claim.conditions, claim.meta.created_at, claim.meta.generation}, model::kNodeClaimStatus,
                             view.now);
  judge_consolidatable(*view.pool, view.now, claim, status, plan);
  const std::string reason = claim.is(model::kLaunched) ? drift_reason(view) : "";
  if (reason.empty()) {
    if (view.provider_asked) status.clear(model::kDrifted);
  } else {
    status.set_true(model::kDrifted, reason);
    log::Fields about = plan::log_fields(claim);
    about.more = {{log::Key::kReason, reason}};
    if (!view.claim.is(model::kDrifted)) plan.log.push_back(log::step(log::kMarkingDrifted, std::move(about)));
  }
  plan.add_if_changed(view.claim, claim);
  plan.requeue_after(kDriftInterval);
  return plan;
}

bool stamp_due(const NodeClaim& claim, Instant now) {
  return !claim.last_pod_event_at || now - *claim.last_pod_event_at >= kStampInterval;
}

plan::Plan decide_stamp(const NodeClaim& claim, const model::NodePool* pool, Instant now) {
  plan::Plan plan;
  if (!stamp_due(claim, now)) return plan;
  NodeClaim after = claim;
  // The API keeps whole seconds; a stamp that differs from the stored one would look like a change.
  after.last_pod_event_at = std::chrono::floor<std::chrono::seconds>(now);
  if (pool && !claim.meta.deleting()) {
    model::ConditionSet status({&after.conditions, claim.meta.created_at, claim.meta.generation},
                               model::kNodeClaimStatus, now);
    judge_consolidatable(*pool, now, after, status, plan);
  }
  plan.add_if_changed(claim, after);
  return plan;
}

bool judges_anew(const model::NodePool& before, const model::NodePool& after) {
  model::NodePool same = before;
  same.meta.resource_version = after.meta.resource_version;
  same.resources = after.resources;
  same.node_class_observed_generation = after.node_class_observed_generation;
  same.conditions = after.conditions;
  return same != after;
}

plan::Plan decide_expiration(const NodeClaim& claim, const model::NodePool* pool, size_t pods, Instant now) {
  plan::Plan plan;
  if (claim.meta.deleting()) return plan;
  model::OptionalDuration expire_after = claim.expire_after;
  if (model::is_provisioner(claim.pool()) || claim.meta.annotations.contains(model::kAnnotationExpireAfter)) {
    if (pool == nullptr) return plan;
    expire_after = pool->node_template.expire_after;
  }
  if (!expire_after) return plan;
  const Instant expires = claim.meta.created_at + *expire_after;
  if (now < expires) {
    plan.requeue_after(expires - now);
  } else {
    plan.add(plan::DeleteNodeClaim{claim, "expired", "", pods});
    plan.log.push_back(log::step(log::kDeletingExpired, plan::log_fields(claim)));
    plan.log.push_back({"expired nodeclaim/" + claim.meta.name, plan::log_fields(claim)});
  }
  return plan;
}

}  // namespace tenon::controllers::claim_conditions
