// Which of Bottlerocket's settings Karpenter knows, and their types: the rest of settings.kubernetes and of
// settings.bootstrap-commands never reaches a node. Pure.
// parity: provider-aws pkg/providers/amifamily/bootstrap/bottlerocketsettings.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>

#include "base/result.h"

namespace tenon::cloud {

// The known settings of settings.kubernetes, in the order in which they are written; empty lists and tables are left
// out. Errors: kInvalid, "settings.kubernetes.max-pods: must be an integer, not a string".
Result<boost::json::object> known_kubernetes_settings(const boost::json::value& given);
// The same of settings.bootstrap-commands.
Result<boost::json::object> known_bootstrap_commands(const boost::json::value& given);

}  // namespace tenon::cloud
