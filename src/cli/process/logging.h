// The process's log: JSON lines as Karpenter writes them, or plain text, on standard error.
// Thread rule: any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "base/result.h"

namespace tenon::cli {

enum class LogFormat { kJson, kText };
// Level: debug, info, warn, error. Errors: kInvalid.
Status set_up_logging(LogFormat format, std::string_view level);
void log_decision(const std::string& line);
// Repetitions are left out: cli/process/failure_throttle.h.
void log_failure(const std::string& controller, const std::string& key, const Error& error);
void log_info(const std::string& line);
void log_warning(const std::string& line);
void log_error(const std::string& line);  // the reason why the process ends
void log_debug(const std::string& line);

}  // namespace tenon::cli
