// The conditions of NodeOverlays. Pure. parity: karpenter pkg/controllers/nodeoverlay/controller.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "plan/plan.h"

namespace tenon::controllers::nodeoverlay {

// `refused`: overlays that have no effect, and why (scheduling/input/overlay.h).
plan::Plan decide(const std::vector<model::NodeOverlay>& overlays, const std::map<std::string, std::string>& refused,
                  Instant now);

}  // namespace tenon::controllers::nodeoverlay
