// The names under `settings` of the chart's values: one for each environment variable of `tenon controller`.
// Thread rule: any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tenon::cli {
struct Row;
}

namespace tenon::cli::install {

struct ChartOption {
  std::string value;         // "clusterName"
  std::string variable;      // "CLUSTER_NAME"; empty: a value of Karpenter's charts without effect
  const Row* row = nullptr;  // of cli/options/table.h; null if `variable` is empty
};

// In the order of the option table. Variables that other values set (ports, the level of the log, feature gates, names
// of the release) are not among them.
const std::vector<ChartOption>& chart_options();
// Returns the variables that other values of the chart set, or that the chart leaves unset because the pod has no use
// for them.
const std::vector<std::string_view>& other_variables();

}  // namespace tenon::cli::install
