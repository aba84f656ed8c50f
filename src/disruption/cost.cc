// SPDX-License-Identifier: Apache-2.0
#include "disruption/cost.h"

#include <algorithm>
#include <charconv>

#include "model/labels.h"

namespace tenon::disruption {
namespace {

constexpr std::string_view kDeletionCost = "controller.kubernetes.io/pod-deletion-cost";
constexpr int64_t kMostMilli = 10 * kOrdinaryPodMilli;
// An int32 deletion cost spans ±16 ordinary pods, a priority ±64.
constexpr int kDeletionCostShift = 27, kPriorityShift = 25;

int64_t deletion_cost(const model::Pod& pod) {
  const std::string_view text = model::lookup(pod.meta.annotations, kDeletionCost);
  int32_t cost = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), cost);
  return error == std::errc() && end == text.data() + text.size() ? cost : 0;
}

int64_t scaled(int64_t value, int shift) { return value * kOrdinaryPodMilli / (int64_t{1} << shift); }

const model::InstanceType* find_type(const scheduling::Snapshot& snapshot, std::string_view pool,
                                     std::string_view name) {
  for (const auto& view : snapshot.pools) {
    if (view.pool->meta.name != pool || !view.types) continue;
    for (const auto& type : *view.types) {
      if (type.name == name) return &type;
    }
  }
  return nullptr;
}

}  // namespace

int64_t eviction_cost_milli(const model::Pod& pod) {
  const int64_t cost =
      kOrdinaryPodMilli + scaled(deletion_cost(pod), kDeletionCostShift) + scaled(pod.spec->priority, kPriorityShift);
  return std::clamp(cost, -kMostMilli, kMostMilli);
}

bool reschedulable(const model::Pod& pod) {
  if (pod.terminal() || pod.owned_by_daemon_set() || pod.owned_by_node()) return false;
  const auto* owner = pod.controller();
  return !pod.meta.deleting() || (owner && owner->kind == "StatefulSet");
}

int64_t disruption_cost_milli(const scheduling::NodeView& node) {
  int64_t cost = kOrdinaryPodMilli;
  for (const auto& pod : node.pods) {
    if (reschedulable(*pod)) cost += std::max<int64_t>(0, eviction_cost_milli(*pod));
  }
  return cost;
}

bool moves_no_pods(const scheduling::NodeView& node) {
  return std::none_of(node.pods.begin(), node.pods.end(), [](const auto& pod) { return reschedulable(*pod); });
}

model::Price price_of_instance(const scheduling::Snapshot& snapshot, const scheduling::NodeView& node) {
  const model::StringMap& labels = node.labels();
  const auto* type = find_type(snapshot, node.pool(), model::lookup(labels, model::kLabelInstanceType));
  if (!type) return {};
  for (const model::Offering& offering : type->offerings) {
    if (offering.zone == model::lookup(labels, model::kLabelZone) &&
        offering.capacity_type == model::lookup(labels, model::kLabelCapacityType) &&
        offering.reservation_id == model::lookup(labels, model::kLabelReservationId)) {
      return offering.saved.value_or(offering.price);
    }
  }
  return {};
}

}  // namespace tenon::disruption
