// Parses the envelopes that EventBridge puts into the queue. Pure.
// parity: provider-aws pkg/controllers/interruption/parser.go, messages/
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "cloud/interruption.h"

namespace tenon::cloud {

// Parses any text. A message that is not about instances is kNoOp; a text that is not a JSON object, or lacks a
// required instance id, is kMalformed. `sent_at` is the time of a message without its own.
Interruption parse_interruption(std::string_view body, Instant sent_at);

}  // namespace tenon::cloud
