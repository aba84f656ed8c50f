// Which pods of a Node that is being deleted go now, and how. Pure.
// parity: karpenter pkg/controllers/node/termination/terminator
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "controllers/termination/decide.h"

namespace tenon::controllers::termination {

// When the Node's time is up; nothing if it may take as long as it takes.
std::optional<Instant> deadline_of(const View& view);

// Pods that hold up a drain: not terminal, not mirror, not tolerating the disrupted taint, not stuck while terminating.
bool drainable(const model::Pod& pod, Instant now);

// Adds the deletions of pods whose time has come and the evictions of the first tier that still has pods, each as a
// group of its own. How many pods the drain waits for.
size_t drain(const View& view, plan::Plan& plan);

// The taint that keeps pods away from a Node that goes.
const model::Taint& disrupted();

}  // namespace tenon::controllers::termination
