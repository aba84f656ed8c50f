// The ConfigMaps with which Karpenter v0.27 is configured, as options of the process: karpenter-global-settings, which
// is read once at the start, and config-logging, whose level applies without a restart. Pure. The settings that change
// decisions about Provisioners apply live, too (model/global_settings.h).
// parity: karpenter v0.27.5 pkg/apis/settings, karpenter-core v0.27.5 pkg/apis/settings, pkg/operator/logging
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/options/options.h"

namespace tenon::cli {

inline constexpr std::string_view kGlobalSettings = "karpenter-global-settings", kConfigLogging = "config-logging";

// Sets the options that still have their default; a flag or a variable wins. Returns the keys that have no effect here
// although they have another value than by default. Errors: kInvalid, with the key and the text of the time.
Result<std::vector<std::string>> apply_global_settings(const boost::json::value& config_map,
                                                       ControllerOptions& options);

// Returns loglevel.controller, else the level in zap-logger-config; empty: it sets none. Errors: kInvalid, with the
// key.
Result<std::string> logging_level(const boost::json::value& config_map);

}  // namespace tenon::cli
