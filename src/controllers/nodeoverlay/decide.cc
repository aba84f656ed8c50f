// SPDX-License-Identifier: Apache-2.0
#include "controllers/nodeoverlay/decide.h"

#include "model/condition_set.h"
#include "scheduling/input/overlay.h"

namespace tenon::controllers::nodeoverlay {

plan::Plan decide(const std::vector<model::NodeOverlay>& overlays, const std::map<std::string, std::string>& refused,
                  Instant now) {
  plan::Plan plan;
  for (const model::NodeOverlay& before : overlays) {
    if (before.meta.deleting()) continue;
    model::NodeOverlay after = before;
    model::ConditionSet status({&after.conditions, after.meta.created_at, after.meta.generation},
                               model::kNodeOverlayStatus, now);
    const auto at = refused.find(before.meta.name);
    if (at == refused.end()) {
      status.set_true("ValidationSucceeded");
    } else if (at->second == scheduling::kOverlayConflict) {
      status.set_false("ValidationSucceeded", "Conflict", at->second);
    } else {
      status.set_false("ValidationSucceeded", "RuntimeValidation", at->second);
    }
    if (after == before) continue;
    plan.begin_group();
    plan.add(plan::PatchNodeOverlay{before, after});
  }
  return plan;
}

}  // namespace tenon::controllers::nodeoverlay
