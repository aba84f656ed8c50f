// SPDX-License-Identifier: Apache-2.0
#include "cli/install/testing/chart_text.h"

#include "base/check.h"
#include "cli/install/chart_options.h"
#include "cli/options/listed.h"
#include "cli/options/row.h"

namespace tenon::cli::install::testing {
namespace {

constexpr std::string_view kBegin = "  # BEGIN", kEnd = "  # END";

bool has_effect(const ChartOption& option) { return option.row != nullptr && option.row->field != nullptr; }

std::string settings() {
  std::string with_effect, without;
  for (const ChartOption& option : chart_options()) {
    if (!has_effect(option)) {
      without += "  " + option.value + ": \"\"\n";
      continue;
    }
    const std::string by_default = value_kind(*option.row, Command::kController).fallback;
    with_effect += "  # " + std::string(option.row->help) + (by_default.empty() ? "" : " [" + by_default + "]") + "\n";
    with_effect += "  " + option.value + ": \"\"\n";
  }
  return with_effect + "  # Without effect, accepted because charts of Karpenter have them.\n" + without;
}

}  // namespace

std::string settings_file() {
  std::string text =
      "# SPDX-License-Identifier: Apache-2.0\n"
      "# Made from src/cli/options/table.cc: the names under settings and their environment variables; empty: without "
      "effect.\n";
  for (const ChartOption& option : chart_options()) {
    text += "- {value: " + option.value + ", variable: " + (option.variable.empty() ? "\"\"" : option.variable) + "}\n";
  }
  return text;
}

std::string with_settings(const std::string& values) {
  const size_t begin = values.find('\n', values.find(kBegin)), end = values.find(kEnd);
  CHECK(begin < end && end != std::string::npos, "values.yaml has no marks");
  return values.substr(0, begin + 1) + settings() + values.substr(end);
}

std::string manifests_head() {
  return "# SPDX-License-Identifier: Apache-2.0\n"
         "# Made by: tenon install manifests --set 'settings.clusterName=${CLUSTER_NAME}' --set "
         "image.repository=tenon\n"
         "# Replace ${CLUSTER_NAME} (envsubst) and the image, or build on deploy/kustomization.yaml. The definitions "
         "are in\n"
         "# deploy/crds.\n";
}

}  // namespace tenon::cli::install::testing
