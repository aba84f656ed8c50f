// The pods of the benchmarks' workloads; see workload.h. Each pod is constructed in place: a second copy of all of them
// would determine the memory of a measured program.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "scheduling/input/snapshot.h"

namespace tenon::bench {

using Pods = std::vector<scheduling::PodPtr>;

Pods diverse_pods(size_t count);
Pods plain_pods(size_t count);
// Returns deployments whose sizes are drawn with this seed.
Pods deployments(size_t count, size_t number, uint64_t seed);
Pods preferring_pods(size_t count);
Pods apart_pods(size_t count);

}  // namespace tenon::bench
