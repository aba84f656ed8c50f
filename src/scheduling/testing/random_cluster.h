// Small clusters drawn from a seed: enough variety to combine rules, few enough pods for reference/brute_force.h.
//
//   RandomCluster c = random_cluster(7);
//   Solution s = c.cluster.solve();
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/prng.h"
#include "scheduling/testing/cluster.h"

namespace tenon::scheduling::testing {

struct RandomCluster {
  Cluster cluster;
  std::vector<model::InstanceType> types;
  bool nodes = false;     // some exist
  bool limits = false;    // some pool has one
  bool topology = false;  // some pod has a spread, affinity or anti-affinity
};

struct RandomSizes {
  int pods = 6, kinds = 3, types = 4, pools = 2, nodes = 2;  // at most
  // More constraints between the pods of a node: host ports, affinity by hostname, labels of the NodePool that pods
  // must agree on, minValues, reservations, limits that nearly bind. Topology by hostname only.
  bool by_node = false;
};
RandomCluster random_cluster(uint64_t seed, const RandomSizes& sizes = {});

}  // namespace tenon::scheduling::testing
