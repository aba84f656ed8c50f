// One storm: about twenty nodes in virtual time, random load, edits and faults, then calm. The checkers observe all of
// it. The same seed gives the same storm.
//
//   const Outcome outcome = run_storm({.seed = 7});
//   for (const auto& checker : outcome.checkers) … checker->broken() …
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "faults/planted.h"
#include "storm/checkers/checker.h"
#include "storm/fault_points.h"

namespace tenon::storm {

struct StormOptions {
  uint64_t seed = 1;
  Duration blows = 1h;      // load, edits and faults, from the start
  Duration lasts = 2h;      // with the calm after it
  faults::Planted planted;  // bugs that a checker must report
  ClientBugs bugs;
  std::string until_broken;  // the storm ends as soon as this checker finds a violation; empty: it ends in time
};

struct Outcome {
  std::vector<std::unique_ptr<Checker>> checkers;
  std::array<int64_t, kFaults> hits{};
  size_t most_nodes = 0;
  std::vector<std::string> story;  // decisions and actions, line by line, with the time
  uint64_t trace = 0;              // hash of every step of every actor: two storms with one trace are equal
};

Outcome run_storm(const StormOptions& options);

}  // namespace tenon::storm
