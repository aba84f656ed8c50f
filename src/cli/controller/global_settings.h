// The ConfigMaps with which Karpenter v0.27 is configured, as options of the process: karpenter-global-settings, which
// is read once at the start, and config-logging, whose level applies without a restart. Pure. The settings that change
// decisions about Provisioners apply live, too (model/global_settings.h).
// parity: karpenter v0.27.5 pkg/apis/settings, karpenter-core v0.27.5 pkg/operator/logging
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/options/options.h"
#include "model/global_settings.h"

namespace tenon::cli {

inline constexpr std::string_view kGlobalSettings = "karpenter-global-settings", kConfigLogging = "config-logging";

// Sets the options that still have their default; a flag or a variable wins.
void apply_global_settings(const model::GlobalSettings& settings, ControllerOptions& options);

// Returns loglevel.controller, else the level in zap-logger-config; empty: it sets none. Errors: kInvalid, with the
// key.
Result<std::string> logging_level(const boost::json::value& config_map);

}  // namespace tenon::cli
