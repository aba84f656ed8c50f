// faulty_walkthrough SCENARIO FAULT: plays a walkthrough at the node price 0, as `tenon demo --scenario SCENARIO
// --node-price 0 --check`, with a fault of planted.h. Exit code 1 if a step differs from its expectation.
// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <utility>

#include "cli/demo/play.h"
#include "faults/planted.h"

int main(int argc, char** argv) {
  using namespace tenon;
  if (argc != 3) {
    std::cerr << "usage: faulty_walkthrough SCENARIO FAULT\n";
    return 2;
  }
  const auto complain = [](const Error& error) {
    std::cerr << error.message << "\n";
    return 2;
  };
  const auto scenario = cli::load_scenario(argv[1]);
  if (!scenario) return complain(scenario.error());
  const auto planted = faults::parse(argv[2]);
  if (!planted) return complain(planted.error());
  cli::Decisions decisions = cli::default_decisions();
  decisions.disruption.solve.node_price = {};
  cli::SimWorld::Options options{.decisions = std::move(decisions)};
  faults::plant(*planted, options);
  auto world = cli::SimWorld::make(std::move(options));
  if (!world) return complain(world.error());
  return cli::play(*scenario, **world, std::cout) > 0 ? 1 : 0;
}
