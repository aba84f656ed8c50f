// The steps of a launched claim's Node: it joins and is synced (registration), then becomes usable (initialization).
// Pure. parity: karpenter pkg/controllers/nodeclaim/lifecycle/{registration,initialization}.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "controllers/lifecycle/decide.h"
#include "model/condition_set.h"

namespace tenon::controllers::lifecycle {

// Both write what they find to `claim`'s conditions, and what the Node needs to `plan`.
void register_node(const View& view, model::NodeClaim& claim, plan::Plan& plan);
void initialize(const View& view, model::NodeClaim& claim, plan::Plan& plan);
// Of a registered claim: initialization, and its Node keeps the class's label afterwards.
void follow_node(const View& view, model::NodeClaim& claim, plan::Plan& plan);

// The claim's conditions, to be written at this time.
model::ConditionSet status_of(model::NodeClaim& claim, Instant now);
// Does the termination controller's finalizer keep the object?
bool has_our_finalizer(const model::ObjectMeta& meta);

// The label that names the node class; a wrong one is put right. parity: nodeclaim.hydration, node.hydration
void hydrate(const model::NodeClassRef& ref, model::ObjectMeta& meta);

}  // namespace tenon::controllers::lifecycle
