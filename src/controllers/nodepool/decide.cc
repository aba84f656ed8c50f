// SPDX-License-Identifier: Apache-2.0
#include "controllers/nodepool/decide.h"

#include "disruption/required_savings.h"
#include "model/condition_set.h"
#include "model/labels.h"
#include "model/structural_hash.h"

namespace tenon::controllers::nodepool {
namespace {

using model::ConditionSet;

constexpr Duration kAnnotationProblem = 1h;  // time without an equal event
constexpr std::string_view kHealthy = "NodeRegistrationHealthy";

void judge_node_class(const View& view, ConditionSet& status) {
  if (!view.node_class) {
    status.set_false("NodeClassReady", "NodeClassNotFound", "NodeClass not found on cluster");
  } else if (view.node_class->meta.deleting()) {
    status.set_false("NodeClassReady", "NodeClassTerminating", "NodeClass is Terminating");
  } else if (const auto* ready = model::find_condition(view.node_class->conditions, "Ready");
             !ready || ready->status == "Unknown") {
    status.set_unknown("NodeClassReady", "NodeClassReadinessUnknown", "Node Class Readiness Unknown");
  } else if (ready->status == "True") {
    status.set_true("NodeClassReady");
  } else {
    status.set_false("NodeClassReady", ready->reason, ready->message);
  }
}

void judge_health(const View& view, ConditionSet& status) {
  if (health_outdated(view)) {
    status.set_unknown(kHealthy, "AwaitingReconciliation", "object is awaiting reconciliation");
  } else if (view.health && view.health->healthy) {
    status.set_true(kHealthy);
  } else if (view.health) {
    status.set_false(kHealthy, view.health->reason, view.health->message);
  }
}

}  // namespace

bool health_outdated(const View& view) {
  const auto* condition = model::find_condition(view.pool.conditions, kHealthy);
  const bool other_class =
      view.node_class && view.pool.node_class_observed_generation != view.node_class->meta.generation;
  return other_class || !condition || condition->observed_generation != view.pool.meta.generation;
}

bool stamped(const model::ObjectMeta& meta) {
  return model::lookup(meta.annotations, model::kAnnotationNodePoolHashVersion) == model::kNodePoolHashVersion;
}

plan::Plan restamp(const model::NodeClaim& claim, const std::string& hash) {
  plan::Plan plan;
  auto after = claim;
  auto& annotations = after.meta.annotations;
  annotations[std::string(model::kAnnotationNodePoolHashVersion)] = model::kNodePoolHashVersion;
  if (!claim.is(model::kDrifted)) annotations[std::string(model::kAnnotationNodePoolHash)] = hash;
  plan.add_if_changed(claim, after);
  return plan;
}

plan::Plan decide(const View& view) {
  plan::Plan plan;
  model::NodePool pool = view.pool;
  if (view.claims_stamped) {
    auto& annotations = pool.meta.annotations;
    annotations[std::string(model::kAnnotationNodePoolHash)] = model::node_pool_hash(pool);
    annotations[std::string(model::kAnnotationNodePoolHashVersion)] = model::kNodePoolHashVersion;
  }

  pool.resources = view.used;
  for (const std::string_view base : {model::kCpu, model::kMemory, model::kPods, model::kEphemeralStorage}) {
    if (!pool.resources.has(base)) pool.resources.set(base, 0);
  }
  if (!pool.resources.has("nodes")) pool.resources.set("nodes", 0);

  ConditionSet status({&pool.conditions, pool.meta.created_at, pool.meta.generation}, model::kNodePoolStatus, view.now);
  if (const Status valid = model::validate(pool); valid) {
    status.set_true("ValidationSucceeded");
  } else {
    status.set_false("ValidationSucceeded", "NodePoolValidationFailed", valid.error().message);
  }
  judge_node_class(view, status);
  judge_health(view, status);
  if (view.node_class) pool.node_class_observed_generation = view.node_class->meta.generation;
  if (pool != view.pool) plan.add(plan::PatchNodePool{view.pool, pool});
  for (const std::string& problem : tenon::disruption::annotation_problems(pool)) {
    plan.add(plan::RecordEvent{plan::ref(pool), "Warning", "InvalidAnnotation", problem, kAnnotationProblem});
  }
  return plan;
}

}  // namespace tenon::controllers::nodepool
