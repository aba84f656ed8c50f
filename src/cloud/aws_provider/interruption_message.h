// Reads the envelopes that EventBridge puts into the queue. Pure.
// parity: provider-aws pkg/controllers/interruption/parser.go, messages/
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "cloud/interruption.h"

namespace tenon::cloud {

// Any text: what is not about instances is kNoOp; what is no JSON object, or names no instance where it has to, is
// kMalformed. `sent_at` stands in for a message's own time if it has none.
Interruption parse_interruption(std::string_view body, Instant sent_at);

}  // namespace tenon::cloud
