// The log of the process: JSON lines with Karpenter's keys, or plain text, on standard error. A failure that repeats is
// left out (failure_throttle.h).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "base/result.h"
#include "log/log.h"

namespace tenon::cli {

enum class LogFormat { kJson, kText };

// The log and its level, which may change while it is in use. Thread rule: any thread.
class LogLevel {
 public:
  virtual ~LogLevel() = default;
  // debug, info, warn, error or off. Errors: kInvalid; the level stays.
  virtual Status set(std::string_view level) = 0;
};
struct ProcessLog {
  log::Logger logger;
  std::shared_ptr<LogLevel> level;
};
// Errors: kInvalid, the level.
Result<ProcessLog> make_log(LogFormat format, std::string_view level);

// Returns the fields behind "level", "time" and "logger" of a JSON line: "message":"…","controller":"…",….
std::string json_fields(const log::Line& line);

}  // namespace tenon::cli
