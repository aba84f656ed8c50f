// The steps of a launched claim's Node: it joins and is synced (registration), then becomes usable (initialization).
// Pure. parity: karpenter pkg/controllers/nodeclaim/lifecycle/{registration,initialization}.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "controllers/lifecycle/decide.h"

namespace tenon::controllers::lifecycle {

// Both write their result to the conditions of `claim`, and the changes of the Node to `plan`.
void register_node(const View& view, model::NodeClaim& claim, plan::Plan& plan);
void initialize(const View& view, model::NodeClaim& claim, plan::Plan& plan);
// Handles a registered claim: initializes it, and afterwards keeps the node class label on its Node.
void follow_node(const View& view, model::NodeClaim& claim, plan::Plan& plan);

// Sets the label that names the node class; corrects a wrong one. parity: nodeclaim.hydration, node.hydration
void hydrate(const model::NodeClassRef& ref, model::ObjectMeta& meta);

}  // namespace tenon::controllers::lifecycle
