// SPDX-License-Identifier: Apache-2.0
#include "controllers/repair/decide.h"

#include <algorithm>

#include "log/messages.h"
#include "model/labels.h"

namespace tenon::controllers::repair {
namespace {

constexpr Duration kDedupe = 15min;  // of the event that names what blocks the repair

const model::Condition* matching(const model::Node& node, const cloud::RepairPolicy& policy) {
  const model::Condition* condition = model::find_condition(node.conditions, policy.condition);
  return condition && condition->status == policy.status ? condition : nullptr;
}

struct Sickness {
  std::string condition;
  Instant due;  // when the policy's toleration ends
};

// Returns the matching condition that is due first.
std::optional<Sickness> sickness(const View& view) {
  std::optional<Sickness> first;
  for (const auto& policy : view.policies) {
    const model::Condition* condition = matching(view.node, policy);
    if (!condition) continue;
    const Instant due = condition->last_transition + policy.toleration;
    if (!first || due < first->due) first = Sickness{policy.condition, due};
  }
  return first;
}

bool too_many(size_t sick, size_t all) { return sick > (all * kSickPercent + 99) / 100; }

const char* what_blocks(const View& view) {
  if (too_many(view.sick_in_pool, view.in_pool)) return "more than 20% nodes are unhealthy in the nodepool";
  if (too_many(view.sick_in_cluster, view.in_cluster)) return "more then 20% nodes are unhealthy in the cluster";
  return nullptr;
}

// Sets the termination deadline, unless an earlier one is set.
model::NodeClaim with_deadline(const model::NodeClaim& claim, Instant deadline) {
  model::NodeClaim after = claim;
  std::string& text = after.meta.annotations[std::string(model::kAnnotationTerminationTimestamp)];
  const auto known = parse_rfc3339(text);
  if (!known || *known > deadline) text = format_rfc3339(deadline);
  return after;
}

}  // namespace

bool is_sick(const model::Node& node, const std::vector<cloud::RepairPolicy>& policies) {
  return std::any_of(policies.begin(), policies.end(),
                     [&](const auto& policy) { return matching(node, policy) != nullptr; });
}

plan::Plan decide(const View& view) {
  plan::Plan plan;
  const auto sick = sickness(view);
  if (!sick || view.node.meta.deleting() || view.claim.meta.deleting()) return plan;
  if (view.now < sick->due) {
    plan.requeue_after(sick->due - view.now);
    return plan;
  }
  if (const char* why = what_blocks(view)) {
    plan.add(plan::RecordEvent{plan::ref(view.node), "Warning", "NodeRepairBlocked", why, kDedupe});
    plan.requeue_after(kBlockedInterval);
    return plan;
  }
  plan.add_if_changed(view.claim, with_deadline(view.claim, view.node.ready() ? view.now + kDrainTime : view.now));
  plan.add(plan::DeleteNodeClaim{view.claim, "unhealthy", "", view.pods, sick->condition});
  plan.log.push_back(log::decision(
      log::kDeletingUnhealthy, plan::log_fields(view.claim),
      "nodeclaim/" + view.claim.meta.name + " is deleted: its node is unhealthy (" + sick->condition + ")"));
  return plan;
}

}  // namespace tenon::controllers::repair
