// The Bottlerocket settings that Karpenter supports, and their types. Other fields of settings.kubernetes and
// settings.bootstrap-commands never reach a node. Pure.
// parity: provider-aws pkg/providers/amifamily/bootstrap/bottlerocketsettings.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>

#include "base/result.h"

namespace tenon::cloud {

// Returns the supported fields of settings.kubernetes, in output order, without empty lists and tables. Errors:
// kInvalid, "settings.kubernetes.max-pods: must be an integer, not a string".
Result<boost::json::object> known_kubernetes_settings(const boost::json::value& given);
// Does the same for settings.bootstrap-commands.
Result<boost::json::object> known_bootstrap_commands(const boost::json::value& given);

}  // namespace tenon::cloud
