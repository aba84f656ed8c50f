// CapacityBuffers in `tenon plan` (feature gate CapacityBuffer): their pods take part in the plan and are then removed
// from the output, which shows only the capacity that they reserve.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cli/documents/plan_documents.h"
#include "disruption/disruption.h"
#include "model/capacity_buffer.h"
#include "model/pod.h"
#include "scheduling/input/capacity_buffer.h"

namespace tenon::cli {

using scheduling::BufferState;
using scheduling::BufferStates;

class Buffers {
 public:
  // Adds a CapacityBuffer or an object that one may refer to; ignores other kinds. Errors: kInvalid.
  Status add(const Document& document);
  // After all documents; a buffer without a creationTimestamp is created now. Errors: kInvalid: the template of a
  // buffer cannot be read.
  Result<std::vector<model::Pod>> pods(Instant now, BufferStates& states);

 private:
  std::map<std::string, model::CapacityBuffer> buffers_;  // by namespace/name
  std::map<std::string, Document> sources_;               // by kind/namespace/name
};

// Removes the pods of buffers from the replacements of nodes that are removed.
void take_out_buffers(const std::map<std::string, std::string>& buffer_of, disruption::Pass& pass);

}  // namespace tenon::cli
