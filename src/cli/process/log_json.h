// A log line as JSON with Karpenter's keys. Pure.
// parity: karpenter pkg/operator/logging; controller-runtime pkg/internal/controller (the keys of a reconciliation)
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "log/log.h"

namespace tenon::cli {

// Returns the members behind "level", "time", "logger" and "message": "commit":"…","controller":"…",…. A key without
// a value is left out, except "namespace" beside "name". `commit`: of the program; empty: not known. `seed`: makes the
// reconcileIDs of two processes differ.
std::string json_members(const log::Line& line, std::string_view commit, uint64_t seed);

// Returns the text with quotes and escapes.
std::string json_quoted(std::string_view text);

// Returns an id in the form of a UUID, equal for equal arguments.
std::string reconcile_id(uint64_t seed, uint64_t number);

}  // namespace tenon::cli
