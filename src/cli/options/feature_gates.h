// --feature-gates of every subcommand, with Karpenter's names and defaults.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"

namespace tenon::cli {

struct Gates {
  bool reserved_capacity = true;
  bool spot_to_spot = false;
  bool node_overlays = false;
  bool capacity_buffers = false;
  bool node_repair = false;
  bool static_capacity = false;
  bool provisioners = true;  // the API of Karpenter v0.27
};

// "ReservedCapacity=false,SpotToSpotConsolidation=true"; other names are accepted and change nothing.
Result<Gates> parse_gates(const std::string& text);
// Returns the names with their defaults: "ReservedCapacity (true), SpotToSpotConsolidation (false), …".
std::string gate_names();

}  // namespace tenon::cli
