// SPDX-License-Identifier: Apache-2.0
#include "log/log.h"

#include <utility>

namespace tenon::log {

void Logger::debug(std::string message, Fields fields) const {
  write({Level::kDebug, std::move(message), std::move(fields)});
}
void Logger::info(std::string message, Fields fields) const {
  write({Level::kInfo, std::move(message), std::move(fields)});
}
void Logger::info(Entry entry) const { info(std::move(entry.message), std::move(entry.fields)); }
void Logger::warn(std::string message, Fields fields) const {
  write({Level::kWarn, std::move(message), std::move(fields)});
}
void Logger::error(std::string message, Fields fields) const {
  write({Level::kError, std::move(message), std::move(fields)});
}
void Logger::failure(std::string controller, std::string name, const Error& error) const {
  write({Level::kWarn, error.message, {.controller = std::move(controller), .name = std::move(name)}, error.code});
}

void Logger::write(Line line) const {
  if (writes(line.level)) sink_->write(line);
}

std::string plain_text(const Line& line) {
  const Fields& f = line.fields;
  if (!line.failure || f.controller.empty()) return line.message;
  return f.controller + (f.name.empty() ? "" : " " + f.name) + ": " + line.message;
}

}  // namespace tenon::log
