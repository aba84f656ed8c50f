// The log of the process: JSON lines with Karpenter's keys, or plain text, on standard error. A failure that repeats is
// left out (failure_throttle.h).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/result.h"
#include "log/log.h"

namespace tenon::cli {

enum class LogFormat { kJson, kText };

// Level: debug, info, warn, error, off. Errors: kInvalid.
Result<log::Logger> make_log(LogFormat format, std::string_view level);

// Returns the fields behind "level", "time" and "logger" of a JSON line: "message":"…","controller":"…",….
std::string json_fields(const log::Line& line);

}  // namespace tenon::cli
