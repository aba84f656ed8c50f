// SPDX-License-Identifier: Apache-2.0
#include "controllers/status_events/decide.h"

#include "model/labels.h"

namespace tenon::controllers::status_events {

plan::Plan transitions(const plan::ObjectRef& about, const std::vector<model::Condition>& before,
                       const std::vector<model::Condition>& after) {
  plan::Plan plan;
  for (const model::Condition& now : after) {
    const model::Condition* was = model::find_condition(before, now.type);
    if (!was || was->status == now.status) continue;
    std::string message = "Status condition transitioned, Type: " + now.type + ", Status: " + was->status + " -> " +
                          now.status + ", Reason: " + now.reason;
    if (!now.message.empty()) message += ", Message: " + now.message;
    plan.add(plan::RecordEvent{about, "Normal", now.type, std::move(message), Duration(0)});
  }
  return plan;
}

plan::Plan finalized(const plan::ObjectRef& about, const model::ObjectMeta& last) {
  plan::Plan plan;
  for (const std::string& finalizer : last.finalizers) {
    if (finalizer != model::kFinalizerTermination && finalizer != model::kFinalizerNodeClass) continue;
    plan.add(plan::RecordEvent{about, "Normal", "Finalized", "Finalized " + finalizer, Duration(0)});
  }
  return plan;
}

}  // namespace tenon::controllers::status_events
