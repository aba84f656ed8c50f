// The binding and eviction subresources of pods.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "kubesim/apiserver/objects/objects.h"

namespace tenon::kubesim::apiserver {

// Sets spec.nodeName and the condition PodScheduled. Errors: 409 if the pod is already bound, is being deleted or has
// scheduling gates.
Done bind_pod(Objects& objects, const Target& pod, std::string_view node, const WriteContext& context);
// Deletes the pod if its PodDisruptionBudget allows. Errors: 429 with the cause DisruptionBudget if not, 500 if several
// budgets select the pod.
Done evict_pod(Objects& objects, const Target& pod, const DeleteOptions& options, const WriteContext& context);

}  // namespace tenon::kubesim::apiserver
