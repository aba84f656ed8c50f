// The weight of the heaviest pool that each class of pods can have.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "scheduling/state.h"

namespace tenon::scheduling {

void compile_weights(Problem& problem) {
  if (problem.pools.empty()) return;
  const int heaviest = problem.pools.front().pool->weight;
  for (PodClass& c : problem.classes) c.heaviest = heaviest;
  if (problem.pools.back().pool->weight == heaviest) return;
  const State state(problem);
  for (size_t c = 0; c < problem.classes.size(); ++c) {
    size_t pool = 0;
    while (pool < problem.pools.size() && !state.could_launch(pool, c)) ++pool;
    if (pool < problem.pools.size()) problem.classes[c].heaviest = problem.pools[pool].pool->weight;
  }
}

}  // namespace tenon::scheduling
