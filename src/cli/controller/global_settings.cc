// SPDX-License-Identifier: Apache-2.0
#include "cli/controller/global_settings.h"

#include "json/json.h"

namespace tenon::cli {
namespace {

// Takes a setting that is set, unless the option was set.
template <class T>
void fill(T& option, const T& by_default, const std::optional<T>& setting) {
  if (option == by_default && setting) option = *setting;
}

}  // namespace

void apply_global_settings(const model::GlobalSettings& settings, ControllerOptions& options) {
  const ControllerOptions by_default;
  const auto text = [](std::string& option, const std::string& setting) {
    if (option.empty()) option = setting;
  };
  text(options.cluster_name, settings.cluster_name);
  text(options.cluster_endpoint, settings.cluster_endpoint);
  text(options.interruption_queue, settings.interruption_queue);
  fill(options.isolated_vpc, by_default.isolated_vpc, settings.isolated_vpc);
  fill(options.vm_memory_overhead_percent, by_default.vm_memory_overhead_percent, settings.vm_memory_overhead_percent);
  fill(options.batch_idle, by_default.batch_idle, settings.batch_idle);
  fill(options.batch_max, by_default.batch_max, settings.batch_max);
}

Result<std::string> logging_level(const json::value& config_map) {
  const std::string level(json::string_at(config_map, {"data", "loglevel.controller"}));
  const std::string_view zap = json::string_at(config_map, {"data", "zap-logger-config"});
  if (!level.empty() || zap.empty()) return level;
  const json::value parsed = TRY_IN("zap-logger-config", json::parse(zap));
  return std::string(json::string_at(parsed, {"level"}));
}

}  // namespace tenon::cli
