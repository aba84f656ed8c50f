// CapacityBuffers as pods: each stands for a pod that may come, is placed after all real ones, and is nobody's to run.
// Pure. parity: karpenter pkg/controllers/capacitybuffer
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/capacity_buffer.h"
#include "scheduling/snapshot.h"

namespace tenon::scheduling {

// More than this of one buffer are refused: a slip of a digit in `limits` must not make a million pods.
inline constexpr int64_t kMostBufferPods = 10'000;

// How many pods a (valid) buffer keeps room for. `source` is what its reference names.
// Errors: kInvalid: limits that bound nothing, or too many pods.
Result<int64_t> buffer_size(const model::CapacityBuffer& buffer, const model::PodSource& source);

// "capacity-buffer-NAME-1", … in the buffer's namespace; pending, of the lowest priority, without volumes.
std::vector<model::Pod> buffer_pods(const model::CapacityBuffer& buffer, const model::PodSource& source, int64_t count);

}  // namespace tenon::scheduling
