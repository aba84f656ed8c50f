// The steps of a launched claim's Node: it joins and is synced (registration), then becomes usable (initialization).
// Pure. parity: karpenter pkg/controllers/nodeclaim/lifecycle/{registration,initialization}.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "controllers/lifecycle/decide.h"
#include "model/condition_set.h"

namespace tenon::controllers::lifecycle {

// Both write their result to the conditions of `claim`, and the changes of the Node to `plan`.
void register_node(const View& view, model::NodeClaim& claim, plan::Plan& plan);
void initialize(const View& view, model::NodeClaim& claim, plan::Plan& plan);
// Handles a registered claim: initializes it, and afterwards keeps the node class label on its Node.
void follow_node(const View& view, model::NodeClaim& claim, plan::Plan& plan);

// Returns the condition set of the claim; `now` is the time of changes.
model::ConditionSet status_of(model::NodeClaim& claim, Instant now);
// Returns whether the termination finalizer is on the object.
bool has_our_finalizer(const model::ObjectMeta& meta);

// Sets the label that names the node class; corrects a wrong one. parity: nodeclaim.hydration, node.hydration
void hydrate(const model::NodeClassRef& ref, model::ObjectMeta& meta);

}  // namespace tenon::controllers::lifecycle
