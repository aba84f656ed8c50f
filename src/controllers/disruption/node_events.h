// Returns the names and texts of the events about commands and nodes: those of v1, or those of v0.27 for nodes of a
// Provisioner. Pure. parity: karpenter pkg/controllers/disruption/events, karpenter-core v0.27.5
// pkg/controllers/deprovisioning/events
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "disruption/disruption.h"
#include "scheduling/input/snapshot.h"

namespace tenon::controllers::disruption {

struct NodeEvent {
  std::string reason, message;
};

// Returns the event about a node that is not disrupted; std::nullopt: no event. Both generations have the event
// Unconsolidatable. v0.27 reported nodes that are being deleted, pods and PodDisruptionBudgets; it reported neither
// nominated nodes nor nodes that are not initialized.
std::optional<NodeEvent> kept_event(std::string_view pool, const tenon::disruption::Kept& kept);
NodeEvent launching_event(std::string_view pool, const std::string& why);
NodeEvent waiting_event(std::string_view pool);
// `kind`: Node or NodeClaim.
NodeEvent terminating_event(const scheduling::NodeView& view, const std::string& kind, const std::string& why,
                            bool replaced);

}  // namespace tenon::controllers::disruption
