// Selects the pods to evict or delete now from a Node that is being deleted. Pure.
// parity: karpenter pkg/controllers/node/termination/terminator
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "controllers/termination/decide.h"

namespace tenon::controllers::termination {

// Returns when the Node's time is up; std::nullopt if the drain has no deadline.
std::optional<Instant> deadline_of(const View& view);

// True if the pod blocks a drain: not terminal, not mirror, not tolerating the disrupted taint, not stuck terminating.
bool drainable(const model::Pod& pod, Instant now);

// Adds the deletions of pods that are due and the evictions of the first tier that still has pods, each in a group of
// its own. Returns how many pods the drain waits for.
size_t drain(const View& view, plan::Plan& plan);

// Returns the taint that keeps pods away from a Node that is being removed.
const model::Taint& disrupted();

}  // namespace tenon::controllers::termination
