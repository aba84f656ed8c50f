// Explains why no instance type of a pool can hold a pod, in Karpenter's sentences, which users search for.
// parity: karpenter nodeclaim.go InstanceTypeFilterError
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "scheduling/compile/problem.h"

namespace tenon::scheduling {

using Types = std::vector<const TypeProblem*>;  // some of a pool's, at least one

// Says whether some type has the required labels, a required offering, and enough room with such an offering.
struct TypeFilter {
  bool labels = false, offering = false, room = false;
  std::string text;
};
// `asked`: the node requirements of a pod of this class.
TypeFilter type_filter(const Problem& problem, const PodClass& c, const PoolProblem& pool, const Types& types,
                       const model::Requirements& asked);

// Returns ", requirements=…, resources=…": of the pool and the pod together, with the DaemonSets of these types.
std::string asked_for(const Problem& problem, const PodClass& c, const PoolProblem& pool, const Types& types,
                      const model::Requirements& asked);

}  // namespace tenon::scheduling
