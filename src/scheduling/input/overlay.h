// NodeOverlays change the prices and capacities of the instance types of NodePools. The heaviest overlay decides each
// offering's price and each resource; among equal weights, the overlay whose name sorts last decides. If two overlays
// of one weight decide the same place, they are in conflict, and the one whose name sorts first changes nothing
// anywhere. Pure. parity: karpenter pkg/controllers/nodeoverlay/controller.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/node_overlay.h"
#include "scheduling/input/snapshot.h"

namespace tenon::scheduling {

inline constexpr std::string_view kOverlayConflict = "conflict with another overlay";

// Replaces the types of every pool that an overlay changes. Returns the rejected overlays: name → reason.
std::map<std::string, std::string> apply_overlays(const std::vector<model::NodeOverlay>& overlays,
                                                  std::vector<PoolView>& pools);

}  // namespace tenon::scheduling
