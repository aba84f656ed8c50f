// SPDX-License-Identifier: Apache-2.0
#include "scheduling/bound/lower_bound.h"

#include "scheduling/bound/relaxation.h"
#include "scheduling/search_state/compile.h"

namespace tenon::scheduling {

Bound lower_bound(const Snapshot& snapshot, const SolveOptions& options, const Solution& solution) {
  const Problem problem = compile(snapshot, options);
  return relaxed_bound(relax(problem, solution), solution.price);
}

}  // namespace tenon::scheduling
