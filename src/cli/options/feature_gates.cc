// SPDX-License-Identifier: Apache-2.0
#include "cli/options/feature_gates.h"

#include "base/text.h"

namespace tenon::cli {
namespace {

struct GateRow {
  std::string_view name;
  bool Gates::* field;
};
constexpr GateRow kGates[] = {
    {"ReservedCapacity", &Gates::reserved_capacity},
    {"SpotToSpotConsolidation", &Gates::spot_to_spot},
    {"NodeOverlay", &Gates::node_overlays},
    {"CapacityBuffer", &Gates::capacity_buffers},
    {"NodeRepair", &Gates::node_repair},
    {"StaticCapacity", &Gates::static_capacity},
    {"ProvisionerAPI", &Gates::provisioners},
};

}  // namespace

Result<Gates> parse_gates(const std::string& text) {
  Gates gates;
  for (const std::string_view part : split(text, ',')) {
    if (trim(part).empty()) continue;
    const auto [name, word] = cut(trim(part), '=');
    const std::string lower = to_lower(word);
    if (lower != "true" && lower != "false") {
      return fail(Code::kInvalid, "--feature-gates: \"" + std::string(part) + "\" is not NAME=true or NAME=false");
    }
    for (const GateRow& gate : kGates) {
      if (name == gate.name) gates.*gate.field = lower == "true";
    }
  }
  return gates;
}

std::string gate_names() {
  const Gates defaults;
  std::string text;
  for (const GateRow& gate : kGates) {
    text += (text.empty() ? "" : ", ") + std::string(gate.name) + (defaults.*gate.field ? " (true)" : " (false)");
  }
  return text;
}

}  // namespace tenon::cli
