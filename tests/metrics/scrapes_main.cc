// metrics_scrapes SCENARIO FOLDER [standard|full]: what a scraper reads from the controller after each step of a
// walkthrough, as FOLDER/1.txt, 2.txt, … For the tests beside Prometheus. Each step is played from the start again, in
// virtual time.
// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <iostream>
#include <sstream>

#include "cli/demo/play.h"
#include "cli/demo/world.h"
#include "metrics/process.h"

namespace tenon {
namespace {

int complain(const Error& error) {
  std::cerr << "metrics_scrapes: " << error.message << "\n";
  return 1;
}

int write_scrapes(const std::string& name, const std::string& folder, metrics::Detail detail) {
  const auto whole = cli::load_scenario(name);
  if (!whole) return complain(whole.error());
  for (size_t steps = 1; steps <= whole->steps.size(); ++steps) {
    cli::Scenario part = *whole;
    part.steps.resize(steps);
    auto world = cli::SimWorld::make({.metrics_detail = detail});
    if (!world) return complain(world.error());
    std::ostringstream told;
    if (cli::play(part, **world, told) > 0) return complain({Code::kInternal, told.str(), std::nullopt});
    const auto process = metrics::collect_process((*world)->registry());
    std::ofstream(folder + "/" + std::to_string(steps) + ".txt") << (*world)->registry().text();
  }
  return 0;
}

}  // namespace
}  // namespace tenon

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: metrics_scrapes SCENARIO FOLDER [standard|full]\n";
    return 2;
  }
  const bool full = argc > 3 && std::string_view(argv[3]) == "full";
  return tenon::write_scrapes(argv[1], argv[2],
                              full ? tenon::metrics::Detail::kFull : tenon::metrics::Detail::kStandard);
}
