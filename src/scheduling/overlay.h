// NodeOverlays on the instance types of NodePools. The heaviest overlay decides each offering's price and each
// resource; of equal weights the name that sorts last. Two of one weight that want to decide the same thing are in
// conflict, and the one that comes second changes nothing anywhere. Pure. parity: karpenter
// pkg/controllers/nodeoverlay/controller.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/node_overlay.h"
#include "scheduling/snapshot.h"

namespace tenon::scheduling {

inline constexpr std::string_view kOverlayConflict = "conflict with another overlay";

// Replaces the types of every pool that an overlay matches. Returns why overlays were left out, by name.
std::map<std::string, std::string> apply_overlays(const std::vector<model::NodeOverlay>& overlays,
                                                  std::vector<PoolView>& pools);

}  // namespace tenon::scheduling
