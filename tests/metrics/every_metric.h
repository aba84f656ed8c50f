// Every metric that `tenon controller` registers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "metrics/registry.h"

namespace tenon::metrics_tests {

// By name.
std::map<std::string, metrics::Registered> every_metric();
// The labels of a metric at full detail.
std::vector<std::string> all_labels(const metrics::Registered& metric);

}  // namespace tenon::metrics_tests
