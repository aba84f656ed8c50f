// The message about a topology rule that no new node can satisfy.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "scheduling/search_state/state.h"

namespace tenon::scheduling {

// Returns "unsatisfiable topology constraint for topology spread, key=topology.kubernetes.io/zone (counts = a: 1, b: 0,
// …": the counts by domain, the domains that the pod allows, and those of a new node of this pool. The parenthesis is
// not closed, as in Karpenter's events, which users search for. parity: karpenter topology.go topologyError
std::string topology_text(const State& state, const Group& group, const PoolProblem& pool, const Variant& variant);

// Returns Karpenter's placeholder for the hostname of the number-th new node, as in events.
// parity: karpenter nodeclaim.go
std::string name_to_come(size_t number);

}  // namespace tenon::scheduling
