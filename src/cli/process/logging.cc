// SPDX-License-Identifier: Apache-2.0
#include "cli/process/logging.h"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <mutex>
#include <random>

#include "base/text.h"
#include "cli/process/failure_throttle.h"
#include "cli/process/log_json.h"
#include "cli/process/log_sampler.h"

namespace tenon::cli {
namespace {

constexpr const char* kLogger = "tenon";
constexpr const char* kJsonPattern =
    "{\"level\":\"%*\",\"time\":\"%Y-%m-%dT%H:%M:%S.%eZ\",\"logger\":\"controller\",%v}";
constexpr const char* kConsolePattern = "%Y-%m-%dT%H:%M:%S.%eZ\t%*\tcontroller\t%v";
constexpr const char* kTextPattern = "%H:%M:%S %l %v";
constexpr const char* kErrorPattern = "%Y-%m-%dT%H:%M:%S.%eZ write error: %v";
constexpr Duration kOwnErrorRepeat = 30s;  // between errors of the log itself

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

std::unique_ptr<spdlog::formatter> formatter(const char* pattern) {
  auto made = std::make_unique<spdlog::pattern_formatter>(spdlog::pattern_time_type::utc);
  made->add_flag<LevelName>('*');
  made->set_pattern(pattern);
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

// `option`: for errors.
Result<std::vector<spdlog::sink_ptr>> open_outputs(const std::string& list, const std::string& option) {
  std::vector<spdlog::sink_ptr> sinks;
  for (const std::string_view one : split(list, ',')) {
    const std::string path(trim(one));
    if (path == "stdout") {
      sinks.push_back(std::make_shared<spdlog::sinks::stdout_sink_mt>());
    } else if (path == "stderr") {
      sinks.push_back(std::make_shared<spdlog::sinks::stderr_sink_mt>());
    } else if (path.empty()) {
      return fail(Code::kInvalid, option + " \"" + list + "\": a path is empty");
    } else {
      try {
        sinks.push_back(std::make_shared<spdlog::sinks::basic_file_sink_mt>(path));
      } catch (const spdlog::spdlog_ex& problem) {
        return fail(Code::kInvalid, option + ": " + problem.what());
      }
    }
  }
  return sinks;
}

// "registered nodeclaim NodeClaim=default-x Node=n1": a step has no words.
std::string text_of(const log::Line& line) {
  std::string out = log::plain_text(line);
  if (line.failure || !line.step || !line.words.empty()) return out;
  const log::Fields& f = line.fields;
  for (const auto& [key, value] :
       {std::pair("NodePool", &f.node_pool), {"NodeClaim", &f.node_claim}, {"Node", &f.node}}) {
    if (!value->empty()) out += std::string(" ") + key + "=" + *value;
  }
  return out;
}

class Outputs : public log::Sink, public LogLevel {
 public:
  Outputs(const LogSettings& settings, Sampling sampling, const std::vector<spdlog::sink_ptr>& outputs,
          const std::vector<spdlog::sink_ptr>& error_outputs)
      : settings_(settings),
        seed_(std::random_device{}() * 0x100000001ULL ^ std::random_device{}()),
        logger_(kLogger, outputs.begin(), outputs.end()),
        own_errors_(kLogger, error_outputs.begin(), error_outputs.end()),
        sampler_(sampling) {
    const bool json = settings.format == "json";
    logger_.set_formatter(formatter(json                           ? kJsonPattern
                                    : settings.format == "console" ? kConsolePattern
                                                                   : kTextPattern));
    logger_.flush_on(spdlog::level::debug);
    own_errors_.set_formatter(formatter(kErrorPattern));
    own_errors_.flush_on(spdlog::level::debug);
    logger_.set_error_handler([this](const std::string& problem) { report(problem); });
    own_errors_.set_error_handler([](const std::string&) {});  // nowhere is left to write to
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
    {
      const std::lock_guard lock(mutex_);
      const Instant now(std::chrono::steady_clock::now().time_since_epoch());
      if (!sampler_.admit(line.level, line.failure ? line.message + line.error : line.message, now)) return;
      if (!line.error.empty()) {
        const auto left_out = admit(line, now);
        if (!left_out) return;
        if (*left_out > 0) written.error += " (" + std::to_string(*left_out) + " similar failures were not logged)";
      }
    }
    logger_.log(level_of(line.level), "{}", payload(written));
  }

 private:
  std::string payload(const log::Line& line) const {
    if (settings_.format == "text") return text_of(line);
    const std::string members = json_members(line, settings_.commit, seed_);
    if (settings_.format == "console") return line.message + (members.empty() ? "" : "\t{" + members + "}");
    return "\"message\":" + json_quoted(line.message) + (members.empty() ? "" : "," + members);
  }

  std::optional<size_t> admit(const log::Line& line, Instant now) {
    const std::string& key = line.failure ? line.fields.name : line.words;
    return throttle_.admit(line.fields.controller, key,
                           {line.failure.value_or(Code::kInvalid), line.error, std::nullopt}, now);
  }

  void report(const std::string& problem) {
    const std::lock_guard lock(own_mutex_);
    const auto now = std::chrono::steady_clock::now();
    if (now < quiet_until_) return;
    quiet_until_ = now + kOwnErrorRepeat;
    own_errors_.log(spdlog::level::err, "{}", problem);
  }

  const LogSettings settings_;
  const uint64_t seed_;  // of the reconcileIDs
  spdlog::logger logger_, own_errors_;
  std::mutex mutex_;
  FailureThrottle throttle_;
  LogSampler sampler_;
  std::mutex own_mutex_;
  std::chrono::steady_clock::time_point quiet_until_{};
};

}  // namespace

Result<ProcessLog> make_log(const LogSettings& settings) {
  const Sampling sampling = TRY(parse_sampling(settings.sampling));
  const auto outputs = TRY(open_outputs(settings.outputs, "--log-output-paths"));
  const auto error_outputs = TRY(open_outputs(settings.error_outputs, "--log-error-output-paths"));
  auto sink = std::make_shared<Outputs>(settings, sampling, outputs, error_outputs);
  TRY(sink->set(settings.level));
  return ProcessLog{log::Logger(sink), sink};
}

}  // namespace tenon::cli
