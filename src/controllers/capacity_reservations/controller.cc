// SPDX-License-Identifier: Apache-2.0
#include "controllers/capacity_reservations/controller.h"

#include <algorithm>

#include "controllers/pods.h"
#include "model/labels.h"

namespace tenon::controllers::capacity_reservations {
namespace {

constexpr std::string_view kExpiring = "expiring";

bool is_reserved(const model::StringMap& labels) {
  return model::lookup(labels, model::kLabelCapacityType) == model::kCapacityReserved;
}

void relabel(model::StringMap& labels) {
  labels[std::string(model::kLabelCapacityType)] = model::kCapacityOnDemand;
  for (const std::string_view key :
       {model::kLabelReservationId, model::kLabelReservationType, model::kLabelReservationInterruptible}) {
    labels.erase(std::string(key));
  }
}

bool expires(const View& view, const model::NodeClaim& claim) {
  const std::string_view id = model::lookup(claim.meta.labels, model::kLabelReservationId);
  for (const model::NodeClass& node_class : view.classes) {
    if (node_class.meta.name != claim.node_class_ref.key()) continue;
    for (const model::ResolvedReservation& reservation : node_class.reservations) {
      if (reservation.id == id && reservation.state == kExpiring) return true;
    }
  }
  return false;
}

void end(const View& view, const model::NodeClaim& claim, plan::Plan& plan) {
  const auto pods = view.pods.find(claim.node_name);
  plan.add(
      plan::DeleteNodeClaim{claim, "capacity_reservation_expiring", "", pods == view.pods.end() ? 0 : pods->second});
}

// Changes the claim last: once its label says on-demand, it is not checked again.
void demote(const View& view, const model::NodeClaim& claim, plan::Plan& plan) {
  for (const model::Node& node : view.nodes) {
    if (node.provider_id != claim.provider_id) continue;
    model::Node changed = node;
    relabel(changed.meta.labels);
    plan.add_if_changed(node, changed);
  }
  model::NodeClaim after = claim;
  relabel(after.meta.labels);
  plan.add_if_changed(claim, after);
}

}  // namespace

plan::Plan decide(const View& view) {
  plan::Plan plan;
  for (const model::NodeClaim& claim : view.claims) {
    if (claim.meta.deleting() || claim.provider_id.empty() || !is_reserved(claim.meta.labels)) continue;
    const auto today = view.capacity_types.find(claim.provider_id);
    plan.begin_group();
    if (expires(view, claim)) {
      end(view, claim, plan);
    } else if (today != view.capacity_types.end() && today->second == model::kCapacityOnDemand) {
      demote(view, claim, plan);
    }
  }
  return plan;
}

void Controller::start() {
  loop_ = context_.runtime.spawn("capacityreservation", [this](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      if (context_.runtime.sleep_for(kInterval, stop) == runtime::Wake::kStopped) return;
      const Status done = poll(stop);
      if (!done && done.error().code != Code::kCancelled) context_.log.failure("capacityreservation", "", done.error());
    }
  });
}

void Controller::stop() {
  if (loop_) loop_->request_stop();
  loop_.reset();
}

Status Controller::poll(const std::stop_token& stop) {
  View view;
  for (const auto& claim : context_.cluster.claims.list()) {
    if (is_reserved(claim->meta.labels)) view.claims.push_back(*claim);
  }
  if (view.claims.empty()) return ok();
  for (const auto& node_class : context_.cluster.node_classes.list()) view.classes.push_back(*node_class);
  for (const auto& node : context_.cluster.nodes.list()) {
    view.nodes.push_back(*node);
    view.pods[node->meta.name] = reschedulable_pods(context_.cluster, node->meta.name);
  }
  for (const cloud::Instance& instance : TRY(instances_.list(stop))) {
    view.capacity_types[instance.provider_id] = instance.capacity_type;
  }
  TRY(context_.applier.apply(decide(view), stop));
  return ok();
}

}  // namespace tenon::controllers::capacity_reservations
