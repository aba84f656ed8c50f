// SPDX-License-Identifier: Apache-2.0
#include "controllers/freeze/decide.h"

#include <string>

namespace tenon::controllers::freeze {
namespace {

plan::ObjectRef ref(const model::Freeze& object) {
  return {"v1", "ConfigMap", object.meta.ns, object.meta.name, object.meta.uid};
}

std::string what(const state::Frozen& frozen) {
  if (frozen.disruption && frozen.launches) return "voluntary disruption and launches are frozen";
  return frozen.disruption ? "voluntary disruption is frozen" : "launches are frozen";
}

bool any(const state::Frozen& frozen) { return frozen.disruption || frozen.launches; }

}  // namespace

plan::Plan decide(const View& before, const View& now) {
  plan::Plan plan;
  if (before.frozen == now.frozen) return plan;
  if (!any(now.frozen)) {
    const std::string message = "voluntary disruption and launches are not frozen any more";
    plan.log.push_back({message});
    const auto& object = now.object ? now.object : before.object;
    if (object) plan.event(ref(*object), "Normal", "Thawed", message);
    return plan;
  }
  const std::string message = what(now.frozen) + " " + now.frozen.by;
  plan.log.push_back({message});
  if (now.object && !now.frozen.unknown) {
    const bool invalid = !now.object->fault.empty();
    plan.event(ref(*now.object), invalid ? "Warning" : "Normal", invalid ? "FreezeInvalid" : "Frozen", message);
  }
  return plan;
}

}  // namespace tenon::controllers::freeze
