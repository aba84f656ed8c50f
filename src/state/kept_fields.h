// A controller caches hundreds of thousands of pods and reads little of each.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/pod.h"

namespace tenon::state {

// Removes from a pod what no controller reads: conditions other than PodScheduled, Ready and, beside an annotation that
// protects the pod for a while, its start; their messages, annotations other than those about evictions, finalizers and
// generateName. Frees their memory. Pure.
void keep_used_fields(model::Pod& pod);

}  // namespace tenon::state
