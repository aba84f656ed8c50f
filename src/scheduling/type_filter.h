// Why no instance type of a pool takes a pod, in the sentences that Karpenter's users know from events.
// parity: karpenter nodeclaim.go InstanceTypeFilterError
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "scheduling/problem.h"

namespace tenon::scheduling {

using Types = std::vector<const TypeProblem*>;  // some of a pool's, at least one

// What some type has: labels as asked, an offering as asked, and, with such an offering, enough room.
struct TypeFilter {
  bool labels = false, offering = false, room = false;
  std::string text;
};
// For a pod of this class that asks for this.
TypeFilter type_filter(const Problem& problem, const PodClass& c, const PoolProblem& pool, const Types& types,
                       const model::Requirements& asked);

// ", requirements=…, resources=…": of the pool and the pod together, with the daemons of these types.
std::string asked_for(const Problem& problem, const PodClass& c, const PoolProblem& pool, const Types& types,
                      const model::Requirements& asked);

}  // namespace tenon::scheduling
