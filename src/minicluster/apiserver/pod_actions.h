// The binding and eviction subresources of pods.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "minicluster/apiserver/objects.h"

namespace tenon::minicluster::apiserver {

// Sets spec.nodeName and the condition PodScheduled. 409 if the pod is bound already.
Done bind_pod(Objects& objects, const Target& pod, std::string_view node, const WriteContext& context);
// Deletes the pod if its PodDisruptionBudget allows; else 429 with the cause DisruptionBudget.
Done evict_pod(Objects& objects, const Target& pod, const DeleteOptions& options, const WriteContext& context);

}  // namespace tenon::minicluster::apiserver
