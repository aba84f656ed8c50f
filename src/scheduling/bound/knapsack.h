// The highest value that the pods of one node can have: a bounded knapsack with several resources (knapsack.cc). All
// bounds are computed in integers, so that `at_most` is proven.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scheduling/bound/relaxation.h"

namespace tenon::scheduling {

// Returns how many pods of one demand alone the node holds.
int64_t most_of(const std::vector<Demand>& demands, size_t demand, const Kind& kind);

struct Filling {
  std::vector<int64_t> counts;  // by demand: the best filling that was found
  int64_t value = 0;            // of counts
  int64_t at_most = 0;          // no filling has a higher value
  int64_t steps = 0;
};

// Searches for the filling with the highest value, and stops after about `most_steps` steps. `values`: by demand, each
// at least 0; their sum over all pods must stay below 2^62. Fillings with values up to `enough` are not searched: if
// there is no better one, `at_most` is at most `enough`.
Filling best_filling(const std::vector<Demand>& demands, const Kind& kind, const std::vector<int64_t>& values,
                     int64_t enough, int64_t most_steps);

}  // namespace tenon::scheduling
