// --scheduler-config: reads and parses it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "scheduling/input/default_spread.h"

namespace tenon::cli {

// Errors: kInvalid or kNotFound, "--scheduler-config spread.yaml: podTopologySpread.defaultConstraints: …".
Result<scheduling::SpreadConstraints> read_scheduler_config(const std::string& path);

}  // namespace tenon::cli
