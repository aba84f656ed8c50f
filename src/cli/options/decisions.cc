// SPDX-License-Identifier: Apache-2.0
#include "cli/options/decisions.h"

#include "base/check.h"
#include "scheduling/input/solve_options.h"

namespace tenon::cli {
namespace {

// Above it, the sum over a million nodes overflows a price.
constexpr model::Price kDearestNode(9 * model::kPicoPerUsd);

void open_gates(const Gates& gates, Decisions& decisions) {
  decisions.gates = gates;
  decisions.disruption.solve.reserved_capacity = gates.reserved_capacity;
  decisions.disruption.spot_to_spot = gates.spot_to_spot;
  decisions.disruption.static_capacity = gates.static_capacity;
}

}  // namespace

Result<Decisions> make_decisions(const DecisionSettings& settings) {
  Decisions decisions;
  open_gates(TRY(parse_gates(settings.feature_gates)), decisions);
  scheduling::SolveOptions& solve = decisions.disruption.solve;
  const auto node_price = model::parse_price(settings.node_price);
  if (!node_price || *node_price > kDearestNode) {
    return fail(Code::kInvalid, "--node-price: \"" + settings.node_price + "\" is not an amount of USD such as " +
                                    kDefaultNodePrice + ", from 0 to " + model::format_usd(kDearestNode));
  }
  solve.node_price = *node_price;
  if (settings.max_nodes < 0) {
    return fail(Code::kInvalid,
                "--max-nodes: " + std::to_string(settings.max_nodes) + " is not a number of nodes; 0 means no limit");
  }
  if (settings.max_nodes > 0) solve.max_nodes = settings.max_nodes;
  if (settings.adoption_wait < Duration::zero()) {
    return fail(Code::kInvalid, "--adoption-wait: " + format_go_duration(settings.adoption_wait) +
                                    " is negative; give a time such as 1h, or 0s for none");
  }
  decisions.disruption.adoption_wait = settings.adoption_wait;
  if (settings.preference_policy == "Ignore") solve.preferences = scheduling::PreferencePolicy::kIgnore;
  if (settings.min_values_policy == "BestEffort") solve.min_values = scheduling::MinValuesPolicy::kBestEffort;
  if (settings.max_instance_types > 0) solve.max_instance_types = static_cast<size_t>(settings.max_instance_types);
  solve.strict_reserved = settings.reserved_capacity_mode == "Strict";
  return decisions;
}

Decisions default_decisions(const Gates& gates) {
  Result<Decisions> decisions = make_decisions({});
  CHECK(decisions.has_value(), "the defaults are valid");
  open_gates(gates, *decisions);
  return *std::move(decisions);
}

void decide_by(const Decisions& decisions, controllers::ManagerOptions& options) {
  options.provisioning.solve = decisions.disruption.solve;
  options.disruption = decisions.disruption;
  options.node_overlays = decisions.gates.node_overlays;
  options.capacity_buffers = decisions.gates.capacity_buffers;
  options.node_repair = decisions.gates.node_repair;
  options.static_capacity = decisions.gates.static_capacity;
  options.provisioners = decisions.gates.provisioners;
}

}  // namespace tenon::cli
