// Every cluster of a small grid, by number: up to three pods of few shapes that every rule selects, on one or two sizes
// of machines in one or two zones, with or without an existing node and a limit.
//
//   for (size_t i = 0; i < tiny_clusters(); ++i) compare_optimum(tiny_cluster(i).build());
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scheduling/testing/cluster.h"

namespace tenon::scheduling::testing {

size_t tiny_clusters();
Cluster tiny_cluster(size_t number);  // below tiny_clusters()

}  // namespace tenon::scheduling::testing
