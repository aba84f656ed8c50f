// SPDX-License-Identifier: Apache-2.0
#include "cli/controller/global_settings.h"

#include <charconv>
#include <optional>

#include "base/instant.h"
#include "json/json.h"

namespace tenon::cli {
namespace {

using json::value;

class Settings {
 public:
  explicit Settings(const value& config_map) : config_map_(config_map) {}

  std::string text(std::string_view key) const { return std::string(json::string_at(config_map_, {"data", key})); }
  bool has(std::string_view key) const { return json::find(config_map_, {"data", key}) != nullptr; }

  Result<Duration> duration(std::string_view key, Duration otherwise) const {
    if (!has(key)) return otherwise;
    if (text(key).empty()) return fail(Code::kInvalid, std::string(key) + " is required");
    if (text(key).starts_with('-')) return fail(Code::kInvalid, std::string(key) + " cannot be negative");
    const auto parsed = parse_go_duration(text(key));
    if (!parsed) return fail(Code::kInvalid, std::string(key) + ": \"" + text(key) + "\" is not a duration");
    if (*parsed == Duration(0)) return fail(Code::kInvalid, std::string(key) + " cannot be negative");  // as it said
    return *parsed;
  }
  Result<bool> boolean(std::string_view key, bool otherwise) const {
    const std::string word = text(key);
    if (word.empty()) return otherwise;
    if (word != "true" && word != "false")
      return fail(Code::kInvalid, std::string(key) + ": \"" + word + "\" is not true or false");
    return word == "true";
  }
  Result<double> number(std::string_view key, double otherwise) const {
    const std::string digits = text(key);
    if (digits.empty()) return otherwise;
    double parsed = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), parsed);
    if (error != std::errc() || end != digits.data() + digits.size())
      return fail(Code::kInvalid, std::string(key) + ": \"" + digits + "\" is not a number");
    return parsed;
  }

 private:
  const value& config_map_;
};

// Takes the setting unless the option was set.
template <class T>
void fill(T& option, const T& by_default, T setting) {
  if (option == by_default) option = std::move(setting);
}

}  // namespace

Result<std::vector<std::string>> apply_global_settings(const value& config_map, ControllerOptions& options) {
  const ControllerOptions by_default;
  const Settings settings(config_map);
  fill(options.cluster_name, by_default.cluster_name, settings.text("aws.clusterName"));
  fill(options.cluster_endpoint, by_default.cluster_endpoint, settings.text("aws.clusterEndpoint"));
  fill(options.interruption_queue, by_default.interruption_queue, settings.text("aws.interruptionQueueName"));
  fill(options.isolated_vpc, by_default.isolated_vpc, TRY(settings.boolean("aws.isolatedVPC", false)));
  fill(options.vm_memory_overhead_percent, by_default.vm_memory_overhead_percent,
       TRY(settings.number("aws.vmMemoryOverheadPercent", by_default.vm_memory_overhead_percent)));
  fill(options.batch_idle, by_default.batch_idle, TRY(settings.duration("batchIdleDuration", by_default.batch_idle)));
  fill(options.batch_max, by_default.batch_max, TRY(settings.duration("batchMaxDuration", by_default.batch_max)));

  std::vector<std::string> without_effect;
  if (TRY(settings.boolean("aws.enablePodENI", false))) without_effect.emplace_back("aws.enablePodENI");
  if (!TRY(settings.boolean("aws.enableENILimitedPodDensity", true)))
    without_effect.emplace_back("aws.enableENILimitedPodDensity");
  const std::string convention = settings.text("aws.nodeNameConvention");
  if (!convention.empty() && convention != "ip-name") without_effect.emplace_back("aws.nodeNameConvention");
  return without_effect;
}

Result<std::string> logging_level(const value& config_map) {
  const Settings settings(config_map);
  if (std::string level = settings.text("loglevel.controller"); !level.empty()) return level;
  const std::string zap = settings.text("zap-logger-config");
  if (zap.empty()) return std::string();
  const value parsed = TRY_IN("zap-logger-config", json::parse(zap));
  return std::string(json::string_at(parsed, {"level"}));
}

}  // namespace tenon::cli
