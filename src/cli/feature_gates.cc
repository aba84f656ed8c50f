// SPDX-License-Identifier: Apache-2.0
#include "cli/feature_gates.h"

#include "base/text.h"

namespace tenon::cli {

Result<Gates> parse_gates(const std::string& text) {
  Gates gates;
  for (const std::string_view part : split(text, ',')) {
    if (trim(part).empty()) continue;
    const auto [name, word] = cut(trim(part), '=');
    const std::string lower = to_lower(word);
    if (lower != "true" && lower != "false") {
      return fail(Code::kInvalid, "--feature-gates: \"" + std::string(part) + "\" is not NAME=true or NAME=false");
    }
    if (name == "ReservedCapacity") gates.reserved_capacity = lower == "true";
    if (name == "SpotToSpotConsolidation") gates.spot_to_spot = lower == "true";
    if (name == "NodeOverlay") gates.node_overlays = lower == "true";
    if (name == "CapacityBuffer") gates.capacity_buffers = lower == "true";
    if (name == "NodeRepair") gates.node_repair = lower == "true";
    if (name == "StaticCapacity") gates.static_capacity = lower == "true";
  }
  return gates;
}

}  // namespace tenon::cli
