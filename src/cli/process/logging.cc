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
constexpr const char* kJsonPattern =
    "{\"level\":\"%*\",\"time\":\"%Y-%m-%dT%H:%M:%S.%eZ\",\"logger\":\"controller\",%v}";
constexpr const char* kTextPattern = "%H:%M:%S %l %v";

// The flag %*: the level as Karpenter writes it.
class LevelName : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& out) override {
    const std::string_view name = message.level == spdlog::level::debug  ? "DEBUG"
                                  : message.level == spdlog::level::info ? "INFO"
                                  : message.level == spdlog::level::warn ? "WARN"
                                                                         : "ERROR";
    out.append(name.data(), name.data() + name.size());
  }
  std::unique_ptr<spdlog::custom_flag_formatter> clone() const override { return std::make_unique<LevelName>(); }
};

std::unique_ptr<spdlog::formatter> formatter(LogFormat format) {
  auto made = std::make_unique<spdlog::pattern_formatter>(spdlog::pattern_time_type::utc);
  made->add_flag<LevelName>('*');
  made->set_pattern(format == LogFormat::kJson ? kJsonPattern : kTextPattern);
  return made;
}

spdlog::level::level_enum level_of(log::Level level) {
  switch (level) {
    case log::Level::kDebug: return spdlog::level::debug;
    case log::Level::kInfo: return spdlog::level::info;
    case log::Level::kWarn: return spdlog::level::warn;
    case log::Level::kError: break;
  }
  return spdlog::level::err;
}

class StandardError : public log::Sink, public LogLevel {
 public:
  explicit StandardError(LogFormat format)
      : format_(format), logger_(kLogger, std::make_shared<spdlog::sinks::stderr_sink_mt>()) {
    logger_.set_formatter(formatter(format));
    logger_.flush_on(spdlog::level::info);
  }

  Status set(std::string_view level) override {
    const auto parsed = spdlog::level::from_str(std::string(level));
    if (parsed == spdlog::level::off && level != "off") {
      return fail(Code::kInvalid, "log level \"" + std::string(level) + "\": must be one of debug, info, warn, error");
    }
    logger_.set_level(parsed);
    return ok();
  }

  bool writes(log::Level level) const override { return logger_.should_log(level_of(level)); }

  void write(const log::Line& line) override {
    log::Line written = line;
    if (line.failure) {
      const auto left_out = admit(line);
      if (!left_out) return;
      if (*left_out > 0) written.message += " (" + std::to_string(*left_out) + " similar failures were not logged)";
    }
    logger_.log(level_of(line.level), "{}",
                format_ == LogFormat::kJson ? json_fields(written) : log::plain_text(written));
  }

 private:
  std::optional<size_t> admit(const log::Line& line) {
    const Instant now(std::chrono::steady_clock::now().time_since_epoch());
    const std::lock_guard lock(mutex_);
    return throttle_.admit(line.fields.controller, line.fields.name, {*line.failure, line.message, std::nullopt}, now);
  }

  const LogFormat format_;
  spdlog::logger logger_;
  std::mutex mutex_;
  FailureThrottle throttle_;
};

}  // namespace

Result<ProcessLog> make_log(LogFormat format, std::string_view level) {
  auto sink = std::make_shared<StandardError>(format);
  TRY(sink->set(level));
  return ProcessLog{log::Logger(sink), sink};
}

std::string json_fields(const log::Line& line) {
  const auto quoted = [](const std::string& text) { return json::to_string(json::value(text)); };
  const log::Fields& f = line.fields;
  std::string out = "\"message\":" + quoted(line.message);
  for (const auto& [key, value] : {std::pair("controller", &f.controller), std::pair("name", &f.name)}) {
    if (!value->empty()) out += ",\"" + std::string(key) + "\":" + quoted(*value);
  }
  for (const auto& [key, value] :
       {std::pair("NodePool", &f.node_pool), std::pair("NodeClaim", &f.node_claim), std::pair("Node", &f.node)}) {
    if (!value->empty()) out += ",\"" + std::string(key) + "\":{\"name\":" + quoted(*value) + "}";
  }
  if (!f.provider_id.empty()) out += ",\"provider-id\":" + quoted(f.provider_id);
  return out;
}

}  // namespace tenon::cli
