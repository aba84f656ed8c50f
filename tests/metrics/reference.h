// The page docs/reference/metrics.md, made of the registered metrics.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "metrics/registry.h"

namespace tenon::metrics_tests {

std::string reference_page(const std::map<std::string, metrics::Registered>& all);

}  // namespace tenon::metrics_tests
