// SPDX-License-Identifier: Apache-2.0
#include "cloud/aws_provider/types/compatibility.h"

#include <algorithm>

namespace tenon::cloud {
namespace {

// Only the default card's limit is in the catalog for every type; other cards are checked for EFA interfaces only.
std::string missing_interface(const catalog::InstanceFacts& facts, const model::NodeClass& node_class) {
  if (!node_class.network_interfaces.empty() && !facts.ena) return "networkInterfaces needs ENA, which it lacks";
  int64_t on_first_card = 0, efa_only = 0, cards = 0;
  for (const model::NetworkInterface& interface : node_class.network_interfaces) {
    on_first_card += interface.network_card == 0 ? 1 : 0;
    efa_only += interface.efa_only ? 1 : 0;
    cards = std::max(cards, interface.network_card + 1);
  }
  if (cards > facts.network_cards) return "it has no network card " + std::to_string(cards - 1);
  if (on_first_card > facts.default_card_enis) return "its first network card holds fewer network interfaces";
  return efa_only > facts.efas ? "it has fewer EFA interfaces" : "";
}

}  // namespace

std::string incompatibility(const catalog::InstanceFacts& facts, const model::NodeClass& node_class,
                            const ResolvedClass& resolved) {
  if (facts.family == "a1" && resolved.family == AmiFamily::kAl2023) return "AL2023 does not boot on it";
  if (node_class.nested_virtualization == "enabled" && !facts.nested_virtualization) {
    return "it cannot run virtual machines (cpuOptions.nestedVirtualization)";
  }
  if (node_class.connection_tracking && facts.hypervisor != "nitro") return "connectionTracking needs Nitro";
  const auto& strategies = facts.placement_strategies;
  const std::string& strategy = resolved.placement_strategy;
  if (!strategy.empty() && !strategies.empty() &&
      std::find(strategies.begin(), strategies.end(), strategy) == strategies.end()) {
    return "it cannot be in a placement group of strategy " + strategy;
  }
  return missing_interface(facts, node_class);
}

}  // namespace tenon::cloud
