// SPDX-License-Identifier: Apache-2.0
#include "cli/options/testing/settings.h"

#include <fmt/format.h>

#include <map>

#include "cli/options/listed.h"

namespace tenon::cli::testing {
namespace {

constexpr std::string_view kHead = R"(# Settings of the controller

<!-- Made from src/cli/options/table.cc. The test SettingsReference.IsThePageInTheDocuments says how to update it. -->

Each setting of `tenon controller`, and every place that it can be set in. The first of these counts: the flag; the
environment variable; the file of `--config`, by the flag's name without dashes; the ConfigMap
`karpenter-global-settings` of Karpenter v0.27, which is read once at the start; the default.
What each setting means is in [cli.md](cli.md#tenon-controller).

| flag | variable | key in the file | key in `karpenter-global-settings` | values | default |
| --- | --- | --- | --- | --- | --- |
)";

// apply_global_settings() has the same ones.
const std::map<std::string_view, std::string_view> kGlobalKeys = {
    {"--cluster-name", "aws.clusterName"},
    {"--cluster-endpoint", "aws.clusterEndpoint"},
    {"--interruption-queue", "aws.interruptionQueueName"},
    {"--isolated-vpc", "aws.isolatedVPC"},
    {"--vm-memory-overhead-percent", "aws.vmMemoryOverheadPercent"},
    {"--batch-idle-duration", "batchIdleDuration"},
    {"--batch-max-duration", "batchMaxDuration"},
};

std::string code(std::string_view text) { return text.empty() ? "" : "`" + std::string(text) + "`"; }

}  // namespace

std::string settings_page() {
  std::string page(kHead);
  for (const Row* row : listed_rows(Command::kController)) {
    const std::string flag = long_flag(*row);
    const auto global = kGlobalKeys.find(flag);
    page += fmt::format(
        "| {} | {} | {} | {} | {} | {} |\n", code(flag),
        row->from_environment.has(Command::kController) ? code(variable(*row)) : "",
        flag == "--config" ? "" : code(flag.substr(2)), global == kGlobalKeys.end() ? "" : code(global->second),
        possible_values(*row, Command::kController, "`"), code(value_kind(*row, Command::kController).fallback));
  }
  return page;
}

}  // namespace tenon::cli::testing
