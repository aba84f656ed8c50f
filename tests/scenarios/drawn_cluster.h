// Clusters drawn from a seed in which every rule of scheduling meets every other one: those of
// scheduling/testing/random_cluster.h, with all that the reference solver does not speak of. What comes out for each
// stands in decided.tsv.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "scheduling/testing/random_cluster.h"

namespace tenon::scenarios {

struct DrawnCluster {
  scheduling::Snapshot snapshot;
  scheduling::SolveOptions options;
  std::map<std::string, std::string> overlays_refused;  // NodeOverlay → why
};

DrawnCluster drawn_cluster(uint64_t seed, const scheduling::testing::RandomSizes& sizes);

}  // namespace tenon::scenarios
