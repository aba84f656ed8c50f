// What it costs to disturb a node's pods, and what the node itself costs. Pure.
// parity: karpenter pkg/utils/disruption, pkg/controllers/disruption/types.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "disruption/disruption.h"

namespace tenon::disruption {

// Eviction costs are in thousandths: an ordinary pod costs 1000.
inline constexpr int64_t kOrdinaryPodMilli = 1000;

// From the pod's priority and its deletion-cost annotation, between -10,000 and 10,000.
int64_t eviction_cost_milli(const model::Pod& pod);
// The pod must find another place when its node goes: not of a DaemonSet or the node itself, not ended, not ending (a
// StatefulSet's pod comes back under its name even then).
bool reschedulable(const model::Pod& pod);
// 1000 + the positive eviction costs of the pods that must move.
int64_t disruption_cost_milli(const scheduling::NodeView& node);
// No pod has to move.
bool moves_no_pods(const scheduling::NodeView& node);
// No pod would mind.
inline bool is_empty(const scheduling::NodeView& node) { return disruption_cost_milli(node) <= kOrdinaryPodMilli; }

}  // namespace tenon::disruption
