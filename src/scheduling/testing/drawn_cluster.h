// Clusters drawn from a seed in which every rule of scheduling is combined with every other one: those of
// random_cluster.h, with all rules that the reference solver does not support. The results of some are in
// tests/scenarios/decided.tsv.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "scheduling/input/solve_options.h"
#include "scheduling/testing/random_cluster.h"

namespace tenon::scheduling::testing {

struct DrawnCluster {
  Snapshot snapshot;
  SolveOptions options;
  std::map<std::string, std::string> overlays_refused;  // NodeOverlay → why
};

DrawnCluster drawn_cluster(uint64_t seed, const RandomSizes& sizes);

}  // namespace tenon::scheduling::testing
