// SPDX-License-Identifier: Apache-2.0
#include "controllers/interruption/decide.h"

#include "log/messages.h"
#include "model/labels.h"

namespace tenon::controllers::interruption {
namespace {

using Kind = cloud::InterruptionKind;

constexpr int kLast = 3;

enum class Act { kNone, kDrain, kForce };

struct Rule {
  Act act = Act::kNone;
  const char* event_type = nullptr;  // null: no event
  const char* reason = nullptr;
  const char* message = nullptr;
  int urgency = kLast;
  bool leaves_time = false;  // the instance keeps running for a while
};

Rule rule_of(Kind kind) {
  const auto unhealthy = [](Act act, bool leaves_time) {
    return Rule{act, "Warning",  "InstanceUnhealthy", "An unhealthy warning was triggered for the instance",
                1,   leaves_time};
  };
  switch (kind) {
    case Kind::kSpotInterrupted:
      return {Act::kDrain, "Warning", "SpotInterrupted", "Spot interruption warning was triggered", 0, true};
    case Kind::kReservationInterrupted:
      return {Act::kDrain,
              "Warning",
              "CapacityReservationInstanceInterrupted",
              "Capacity Reservation interruption warning was triggered",
              0,
              true};
    case Kind::kInstanceTerminated:
      return {Act::kDrain, "Warning", "InstanceTerminating", "Instance is terminating", 0, false};
    case Kind::kInstanceStopped: return {Act::kDrain, "Warning", "InstanceStopping", "Instance is stopping", 0, false};
    case Kind::kScheduledChange:
    case Kind::kEventStatus: return unhealthy(Act::kDrain, true);
    case Kind::kInstanceStatus:
    case Kind::kSystemStatus: return unhealthy(Act::kForce, false);
    case Kind::kRebalance:
      return {Act::kNone, "Normal", "SpotRebalanceRecommendation", "Spot rebalance recommendation was triggered",
              2,          true};
    case Kind::kNoOp:
    case Kind::kMalformed: break;
  }
  return {};
}

void tell(const View& view, const char* type, const char* reason, const std::string& message, plan::Plan& plan) {
  plan.event(plan::ref(view.claim), type, reason, message);
  for (const model::Node& node : view.nodes) plan.event(plan::ref(node), type, reason, message);
}

// Sets the termination deadline to now, unless one is set: pods are deleted even if their eviction is forbidden.
void end_drain_now(const View& view, plan::Plan& plan) {
  model::NodeClaim claim = view.claim;
  std::string& deadline = claim.meta.annotations[std::string(model::kAnnotationTerminationTimestamp)];
  if (deadline.empty()) deadline = format_rfc3339(view.now);
  plan.add_if_changed(view.claim, claim);
}

}  // namespace

int urgency(Kind kind) { return rule_of(kind).urgency; }

plan::Plan decide(const View& view) {
  plan::Plan plan;
  const Rule rule = rule_of(view.kind);
  if (rule.event_type == nullptr) return plan;
  const bool deletes = rule.act != Act::kNone && !view.claim.meta.deleting();
  const bool holds = deletes && rule.leaves_time;
  const bool reclaimed = view.kind == Kind::kSpotInterrupted || view.kind == Kind::kReservationInterrupted;
  const std::string& name = view.claim.meta.name;
  if (holds) plan.add(plan::AnnounceEnd{view.claim});
  if (reclaimed) plan.add(plan::AvoidOffering{view.claim});
  if (holds) plan.add(plan::HoldDrain{name, kHeadStart});
  if (deletes) {
    if (rule.act == Act::kForce) end_drain_now(view, plan);
    plan.add(plan::DeleteNodeClaim{view.claim, std::string(to_string(view.kind)), "", view.pods});
  }
  tell(view, rule.event_type, rule.reason, rule.message, plan);
  if (deletes) {
    const std::string word = "Interruption triggered termination for the ";
    plan.event(plan::ref(view.claim), "Warning", "TerminatingOnInterruption", word + "NodeClaim");
    for (const model::Node& node : view.nodes) {
      plan.event(plan::ref(node), "Warning", "TerminatingOnInterruption", word + "Node");
    }
    log::Fields about = plan::log_fields(view.claim);
    about.controller = "interruption";
    about.more = {{log::Key::kMessageKind, std::string(to_string(view.kind))}};
    plan.log.push_back(log::decision(
        log::kInterrupted, std::move(about),
        "nodeclaim/" + name + " is deleted: " + std::string(to_string(view.kind)) + " of " + view.instance_id));
  }
  return plan;
}

}  // namespace tenon::controllers::interruption
