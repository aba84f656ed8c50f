// The settings of all decisions. The controller, the demo, `tenon plan` and `tenon why` create their solver and
// disruption options with make_decisions() only, so that all four decide alike on the same snapshot.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "cli/feature_gates.h"
#include "controllers/manager.h"
#include "disruption/disruption.h"
#include "scheduling/input/solve_options.h"

namespace tenon::cli {

// USD per hour that a node costs in addition to its instance: docs/decisions/0020-one-node-price.md.
inline constexpr const char* kDefaultNodePrice = "0.01";

struct DecisionSettings {
  std::string node_price = kDefaultNodePrice;
  int64_t max_nodes = 0;  // limit of the cluster's size; 0: no limit
  std::string preference_policy = "Respect", min_values_policy = "Strict";
  std::string feature_gates;
  // Only `tenon plan` and `tenon why` have options for these two.
  std::string reserved_capacity_mode = "Fallback";  // or Strict
  int max_instance_types = static_cast<int>(scheduling::SolveOptions().max_instance_types);
};

struct Decisions {
  Gates gates;
  disruption::Options disruption;  // its `solve` is also that of provisioning
};

// Errors: kInvalid, with the option's name.
Result<Decisions> make_decisions(const DecisionSettings& settings);
// Returns the decisions of the default settings with these feature gates.
Decisions default_decisions(const Gates& gates = {});

// Makes the controllers decide with these settings.
void decide_by(const Decisions& decisions, controllers::ManagerOptions& options);

}  // namespace tenon::cli
