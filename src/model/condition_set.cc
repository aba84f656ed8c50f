// SPDX-License-Identifier: Apache-2.0
#include "model/condition_set.h"

#include <algorithm>
#include <array>

namespace tenon::model {
namespace {

constexpr std::array<std::string_view, 3> kNodeClaimDependents{"Launched", "Registered", "Initialized"};
constexpr std::array<std::string_view, 2> kNodePoolDependents{"ValidationSucceeded", "NodeClassReady"};
constexpr std::array<std::string_view, 1> kNodeOverlayDependents{"ValidationSucceeded"};
// The last one applies only if the feature gate of capacity reservations is open.
constexpr std::array<std::string_view, 7> kNodeClassDependents{
    "SubnetsReady",        "SecurityGroupsReady",      "AMIsReady", "InstanceProfileReady", "ValidationSucceeded",
    "PlacementGroupReady", "CapacityReservationsReady"};

}  // namespace

const ConditionKind kNodeClaimStatus{"Ready", kNodeClaimDependents};
const ConditionKind kNodePoolStatus{"Ready", kNodePoolDependents};
const ConditionKind kNodeOverlayStatus{"Ready", kNodeOverlayDependents};
const ConditionKind kNodeClassStatus{"Ready", kNodeClassDependents};
const ConditionKind kUnreservedClassStatus{"Ready",
                                           std::span(kNodeClassDependents).first<kNodeClassDependents.size() - 1>()};

ConditionSet::ConditionSet(Object object, const ConditionKind& kind, Instant now)
    : object_(object), kind_(kind), now_(now) {
  for (const std::string_view type : kind_.dependents) {
    if (!find_condition(*object_.conditions, type)) {
      set_unknown(type, "AwaitingReconciliation", "object is awaiting reconciliation");
    }
  }
  update_root();
}

bool ConditionSet::dependent(std::string_view type) const {
  return std::find(kind_.dependents.begin(), kind_.dependents.end(), type) != kind_.dependents.end();
}

void ConditionSet::set(std::string_view type, std::string_view status, std::string_view reason,
                       std::string_view message) {
  put({std::string(type), std::string(status), std::string(reason), std::string(message), now_, object_.generation});
  if (dependent(type)) update_root();
}

void ConditionSet::put(Condition condition) {
  auto& all = *object_.conditions;
  const auto at = std::find_if(all.begin(), all.end(), [&](const Condition& c) { return c.type == condition.type; });
  if (at == all.end()) {
    // The first state of a dependent begins when the object is created.
    if (dependent(condition.type) && condition.status == "Unknown") condition.last_transition = object_.created_at;
    all.push_back(std::move(condition));
  } else {
    if (at->status == condition.status) condition.last_transition = at->last_transition;
    *at = std::move(condition);
  }
  std::stable_sort(all.begin(), all.end(), [&](const Condition& a, const Condition& b) {
    const bool a_root = a.type == kind_.root, b_root = b.type == kind_.root;
    if (a_root != b_root) return b_root;
    return a.last_transition < b.last_transition;
  });
}

void ConditionSet::clear(std::string_view type) {
  std::erase_if(*object_.conditions, [&](const Condition& c) { return c.type == type; });
}

void ConditionSet::update_root() {
  bool any_false = false;
  std::string unhealthy;
  for (const std::string_view type : kind_.dependents) {
    const Condition* c = find_condition(*object_.conditions, type);
    if (!c) return;  // the constructor is still adding them
    const bool current = c->observed_generation == object_.generation;
    if (c->status == "True" && current) continue;
    if (c->status == "False" && current) any_false = true;
    unhealthy += (unhealthy.empty() ? "" : ", ") + c->type + "=" + c->status;
  }
  const std::string root(kind_.root);
  if (unhealthy.empty()) {
    put({root, "True", root, "", now_, object_.generation});
  } else if (any_false) {
    put({root, "False", "UnhealthyDependents", unhealthy, now_, object_.generation});
  } else {
    put({root, "Unknown", "ReconcilingDependents", unhealthy, now_, object_.generation});
  }
}

}  // namespace tenon::model
