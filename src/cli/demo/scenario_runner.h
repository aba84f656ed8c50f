// Runs a Scenario against a simulated cluster and compares what is expected with what is observed after each step.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <iosfwd>

#include "awssim/fake_aws.h"
#include "cli/scenario/scenario.h"
#include "kubesim/api.h"
#include "model/price.h"
#include "runtime/sim.h"

namespace tenon::cli {

struct ScenarioWorld {
  runtime::SimRuntime& sim;
  kubesim::Api& api;
  awssim::FakeAws& aws;
  // USD per hour of a running instance, from the catalog that the world was created with.
  std::function<model::Price(const awssim::FakeInstance&)> price_of;
};

// Returns how many steps differed from their expectation. Writes one line per step to `out`, without wall times.
int run_scenario(const Scenario& scenario, ScenarioWorld& world, std::ostream& out);

}  // namespace tenon::cli
