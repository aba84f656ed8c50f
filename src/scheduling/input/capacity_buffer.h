// CapacityBuffers as virtual pods: each represents a pod that may come, is placed after all real pods, and never runs.
// Pure. parity: karpenter pkg/controllers/capacitybuffer
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "model/capacity_buffer.h"
#include "scheduling/input/solution.h"

namespace tenon::scheduling {

// A buffer with more pods than this is rejected: a typo in `limits` must not create a million pods.
inline constexpr int64_t kMostBufferPods = 10'000;

// Returns the number of pods that a valid buffer keeps room for. `source`: the object that the buffer references.
// Errors: kInvalid: there are only limits and they bound nothing, or there are too many pods.
Result<int64_t> buffer_size(const model::CapacityBuffer& buffer, const model::PodSource& source);

// Returns pods "capacity-buffer-NAME-1", … in the buffer's namespace: pending, of the lowest priority, without volumes.
std::vector<model::Pod> buffer_pods(const model::CapacityBuffer& buffer, const model::PodSource& source, int64_t count);

// The state of a buffer: the number of its pods, and where a solution placed them.
struct BufferState {
  int64_t pods = 0;                                    // that it keeps room for
  std::string reason = "Resolved", problem;            // why it has no pods; empty: it is resolved
  int64_t source_generation = 0;                       // of the PodTemplate or workload
  std::map<std::string, int64_t> on_new, on_existing;  // node → pods
  int64_t failed = 0;
  std::string why_failed;  // message of the first unschedulable pod
  std::vector<model::Condition> conditions(Instant now) const;
};
using BufferStates = std::map<std::string, BufferState>;  // by namespace/name

// Returns a PodTemplate, Deployment, StatefulSet or ReplicaSet; null if there is none of that name.
using FindPodSource = std::function<Result<std::shared_ptr<const model::PodSource>>(
    const std::string& kind, const std::string& ns, const std::string& name)>;

// Returns the pods of a buffer. If it cannot be resolved, returns none and sets the reason in `state`. Errors: those of
// `find`.
Result<std::vector<model::Pod>> resolve_buffer(const model::CapacityBuffer& buffer, const FindPodSource& find,
                                               BufferState& state);

// Removes the pods of buffers (pod key → buffer) from the solution and counts them in `states`.
void take_out_buffers(const std::map<std::string, std::string>& buffer_of, Solution& solution, BufferStates& states);

}  // namespace tenon::scheduling
