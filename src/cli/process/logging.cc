// SPDX-License-Identifier: Apache-2.0
#include "cli/process/logging.h"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <boost/json/fwd.hpp>
#include <mutex>

#include "cli/process/failure_throttle.h"
#include "json/json.h"

namespace tenon::cli {
namespace {

constexpr const char* kLogger = "tenon";

// Quotes a message: the JSON format inserts %v as JSON text.
std::string quoted(const std::string& text) { return json::to_string(json::value(text)); }

bool& json_format() {
  static bool on = false;
  return on;
}

std::string line(const std::string& message, const std::string& controller, const std::string& key) {
  if (!json_format()) {
    std::string out = message;
    if (!controller.empty()) out = controller + (key.empty() ? "" : " " + key) + ": " + message;
    return out;
  }
  std::string out = "\"message\":" + quoted(message);
  if (!controller.empty()) out += ",\"controller\":" + quoted(controller);
  if (!key.empty()) out += ",\"name\":" + quoted(key);
  return out;
}

}  // namespace

Status set_up_logging(LogFormat format, std::string_view level) {
  const auto parsed = spdlog::level::from_str(std::string(level));
  if (parsed == spdlog::level::off && level != "off") {
    return fail(Code::kInvalid, "log level \"" + std::string(level) + "\": must be one of debug, info, warn, error");
  }
  json_format() = format == LogFormat::kJson;
  auto logger = spdlog::stderr_logger_mt(kLogger);
  logger->set_level(parsed);
  logger->set_pattern(json_format()
                          ? "{\"level\":\"%l\",\"time\":\"%Y-%m-%dT%H:%M:%S.%eZ\",\"logger\":\"controller\",%v}"
                          : "%H:%M:%S %l %v",
                      spdlog::pattern_time_type::utc);
  logger->flush_on(spdlog::level::info);
  spdlog::set_default_logger(std::move(logger));
  return ok();
}

void log_decision(const std::string& text) { spdlog::info("{}", line(text, "", "")); }
void log_info(const std::string& text) { spdlog::info("{}", line(text, "", "")); }
void log_warning(const std::string& text) { spdlog::warn("{}", line(text, "", "")); }
void log_error(const std::string& text) { spdlog::error("{}", line(text, "", "")); }
void log_debug(const std::string& text) { spdlog::debug("{}", line(text, "", "")); }
void log_failure(const std::string& controller, const std::string& key, const Error& error) {
  static std::mutex mutex;
  static FailureThrottle throttle;
  const Instant now(std::chrono::steady_clock::now().time_since_epoch());
  std::optional<size_t> left_out;
  {
    const std::lock_guard lock(mutex);
    left_out = throttle.admit(controller, key, error, now);
  }
  if (!left_out) return;
  std::string text = error.message;
  if (*left_out > 0) text += " (" + std::to_string(*left_out) + " similar failures were not logged)";
  spdlog::warn("{}", line(text, controller, key));
}

}  // namespace tenon::cli
