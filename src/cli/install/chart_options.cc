// SPDX-License-Identifier: Apache-2.0
#include "cli/install/chart_options.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "cli/options/table.h"

namespace tenon::cli::install {
namespace {

// parity: the spelling of charts/karpenter (reservedENIs, clusterCABundle).
std::string value_name(std::string_view flag) {
  constexpr std::pair<std::string_view, std::string_view> kSpelt[] = {
      {"ca", "CA"}, {"vpc", "VPC"}, {"enis", "ENIs"}, {"dra", "DRA"}, {"qps", "QPS"}};
  std::string name;
  for (const std::string_view word : split(flag.substr(2), '-')) {
    const auto* spelt =
        std::find_if(std::begin(kSpelt), std::end(kSpelt), [&](auto& row) { return row.first == word; });
    std::string part(word);
    if (!name.empty() && spelt != std::end(kSpelt)) {
      part = spelt->second;
    } else if (!name.empty()) {
      part[0] = static_cast<char>(part[0] - 'a' + 'A');
    }
    name += part;
  }
  return name;
}

}  // namespace

const std::vector<std::string_view>& other_variables() {
  static const std::vector<std::string_view> kOther = {
      "KARPENTER_SERVICE", "WEBHOOK_PORT",      "DISABLE_WEBHOOK",       "LEADER_ELECTION_NAMESPACE",
      "LOG_LEVEL",         "METRICS_PORT",      "FEATURE_GATES",         "HEALTH_PROBE_PORT",
      "LOG_OUTPUT_PATHS",  "AWS_FEATURE_GATES", "LOG_ERROR_OUTPUT_PATHS"};
  return kOther;
}

const std::vector<ChartOption>& chart_options() {
  static const std::vector<ChartOption> options = [] {
    std::vector<ChartOption> out;
    for (const Row& row : option_rows()) {
      if (!row.from_environment.has(Command::kController)) continue;
      const auto& other = other_variables();
      if (std::find(other.begin(), other.end(), variable(row)) != other.end()) continue;
      out.push_back({value_name(long_flag(row)), variable(row), &row});
    }
    for (const char* name : {"enableDRA", "legacyNodeRepair", "securityGroupRefreshInterval"}) {
      out.push_back({name, "", nullptr});
    }
    return out;
  }();
  return options;
}

}  // namespace tenon::cli::install
