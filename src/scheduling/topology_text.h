// The words for a topology rule that no new node can satisfy.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "scheduling/state.h"

namespace tenon::scheduling {

// "unsatisfiable topology constraint for topology spread, key=topology.kubernetes.io/zone (counts = a: 1, b: 0, …":
// what each domain holds by now, what the pod allows and what a node of this pool would be. The bracket stays open,
// because so do the events that people search for. parity: karpenter topology.go topologyError
std::string topology_text(const State& state, const Group& group, const PoolProblem& pool, const Variant& variant);

// The hostname of the number-th node to be bought, as it reads in events: Karpenter's own words.
// parity: karpenter nodeclaim.go
std::string name_to_come(size_t number);

}  // namespace tenon::scheduling
