// The settings of all decisions. The controller, the demo, `tenon plan` and `tenon why` create their solver and
// disruption options with make_decisions() only, so that all four decide alike on the same snapshot.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "cli/options/feature_gates.h"
#include "cli/options/options.h"
#include "controllers/manager/manager.h"
#include "disruption/disruption.h"
#include "scheduling/input/solve_options.h"

namespace tenon::cli {

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
