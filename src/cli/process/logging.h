// The log of the process: JSON lines with Karpenter's keys, zap's console form, or plain text. A failure that repeats
// is left out (failure_throttle.h), and so are lines of a burst (log_sampler.h).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "log/log.h"

namespace tenon::cli {

struct LogSettings {
  std::string format = "json";  // or console, text
  std::string level = "info";
  // Lists, divided by commas: stdout, stderr, or paths of files, which grow. The first receives the lines of every
  // level, the second the errors of the log itself. parity: zap OutputPaths, ErrorOutputPaths
  std::string outputs = "stdout", error_outputs = "stderr";
  std::string sampling = "100:100";  // log_sampler.h
  std::string commit = {};           // of the program; empty: not known
};

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
// Errors: kInvalid, a setting, or a file that cannot be opened.
Result<ProcessLog> make_log(const LogSettings& settings);

}  // namespace tenon::cli
