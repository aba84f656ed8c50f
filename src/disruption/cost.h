// The cost of disturbing a node's pods. Pure. (cost.cc also defines price_of_instance() of disruption.h.)
// parity: karpenter pkg/utils/disruption, pkg/controllers/disruption/types.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "disruption/disruption.h"

namespace tenon::disruption {

// Eviction costs are in thousandths: an ordinary pod costs 1000.
inline constexpr int64_t kOrdinaryPodMilli = 1000;

// Returns the cost from the pod's priority and its deletion-cost annotation, between -10,000 and 10,000.
int64_t eviction_cost_milli(const model::Pod& pod);
// Returns whether the pod needs another node if its node is removed. Pods of DaemonSets, static pods, ended pods and
// terminating pods do not. Terminating pods of a StatefulSet do: they come back under the same name.
bool reschedulable(const model::Pod& pod);
// Returns 1000 + the positive eviction costs of the reschedulable pods.
int64_t disruption_cost_milli(const scheduling::NodeView& node);
// Returns whether no pod is reschedulable.
bool moves_no_pods(const scheduling::NodeView& node);

}  // namespace tenon::disruption
