// CapacityBuffers in `tenon plan` (feature gate CapacityBuffer): their pods take part in the plan and are then taken
// out of what is printed, where only the room that they hold is told.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cli/plan_documents.h"
#include "disruption/disruption.h"
#include "model/capacity_buffer.h"
#include "model/pod.h"
#include "scheduling/capacity_buffer.h"

namespace tenon::cli {

using scheduling::BufferState;
using scheduling::BufferStates;

class Buffers {
 public:
  // A CapacityBuffer or something that one may refer to; other kinds are ignored. Errors: kInvalid.
  Status add(const Document& document);
  // After all documents; a buffer without a creationTimestamp is created now.
  // Errors: kInvalid: the template of a buffer cannot be read.
  Result<std::vector<model::Pod>> pods(Instant now, BufferStates& states);

 private:
  std::map<std::string, model::CapacityBuffer> buffers_;  // by namespace/name
  std::map<std::string, Document> sources_;               // by kind/namespace/name
};

// Takes the pods of buffers out of what replaces nodes that go.
void take_out_buffers(const std::map<std::string, std::string>& buffer_of, disruption::Pass& pass);

}  // namespace tenon::cli
