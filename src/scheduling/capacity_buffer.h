// CapacityBuffers as pods: each stands for a pod that may come, is placed after all real ones, and is nobody's to run.
// Pure. parity: karpenter pkg/controllers/capacitybuffer
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "model/capacity_buffer.h"
#include "scheduling/solver.h"

namespace tenon::scheduling {

// More than this of one buffer are refused: a slip of a digit in `limits` must not make a million pods.
inline constexpr int64_t kMostBufferPods = 10'000;

// How many pods a (valid) buffer keeps room for. `source` is what its reference names.
// Errors: kInvalid: limits that bound nothing, or too many pods.
Result<int64_t> buffer_size(const model::CapacityBuffer& buffer, const model::PodSource& source);

// "capacity-buffer-NAME-1", … in the buffer's namespace; pending, of the lowest priority, without volumes.
std::vector<model::Pod> buffer_pods(const model::CapacityBuffer& buffer, const model::PodSource& source, int64_t count);

// What became of a buffer: how many pods it asks for, and where a solution put them.
struct BufferState {
  int64_t pods = 0;                                    // that room is kept for
  std::string reason = "Resolved", problem;            // why the buffer asks for nothing; empty: it is resolved
  int64_t source_generation = 0;                       // of the PodTemplate or workload
  std::map<std::string, int64_t> on_new, on_existing;  // node → pods
  int64_t failed = 0;
  std::string why_failed;  // of the first that found no place
  std::vector<model::Condition> conditions(Instant now) const;
};
using BufferStates = std::map<std::string, BufferState>;  // by namespace/name

// A PodTemplate, Deployment, StatefulSet or ReplicaSet; null if there is none of that name.
using FindPodSource = std::function<Result<std::shared_ptr<const model::PodSource>>(
    const std::string& kind, const std::string& ns, const std::string& name)>;

// The pods of a buffer; none if something is wrong with it, which `state` says then. Errors: those of `find`.
Result<std::vector<model::Pod>> resolve_buffer(const model::CapacityBuffer& buffer, const FindPodSource& find,
                                               BufferState& state);

// Takes the pods of buffers (pod key → buffer) out of the solution and counts them in `states`.
void take_out_buffers(const std::map<std::string, std::string>& buffer_of, Solution& solution, BufferStates& states);

}  // namespace tenon::scheduling
