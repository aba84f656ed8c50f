// The most that one node can be worth: whole pods of several sizes, each with a value, within a vector of resources.
// Branch and bound over a fractional relaxation, in integers throughout, so that `at_most` can be trusted.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scheduling/relaxation.h"

namespace tenon::scheduling {

// How many pods of a demand alone the node takes.
int64_t most_of(const std::vector<Demand>& demands, size_t demand, const Kind& kind);

struct Filling {
  std::vector<int64_t> counts;  // by demand: the best that was found
  int64_t value = 0;            // of that
  int64_t at_most = 0;          // no filling is worth more
  int64_t steps = 0;
};

// `values` by demand, each at least 0; the search stops after about `most_steps` steps. Values times counts must stay
// below 2^62. What is worth no more than `enough` is not looked for: then `at_most` is no more than that.
Filling best_filling(const std::vector<Demand>& demands, const Kind& kind, const std::vector<int64_t>& values,
                     int64_t enough, int64_t most_steps);

}  // namespace tenon::scheduling
