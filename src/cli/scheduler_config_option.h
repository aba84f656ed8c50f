// --scheduler-config: reads and parses it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "scheduling/input/default_spread.h"

namespace tenon::cli {

inline constexpr const char* kSchedulerConfigHelp =
    "default topology spread of pods without constraints of their own, as kube-scheduler's PodTopologySpread has it: "
    "YAML or JSON, podTopologySpread: {defaultConstraints: [...]}";

// Errors: kInvalid or kNotFound, "--scheduler-config spread.yaml: podTopologySpread.defaultConstraints: …".
Result<scheduling::SpreadConstraints> read_scheduler_config(const std::string& path);

}  // namespace tenon::cli
