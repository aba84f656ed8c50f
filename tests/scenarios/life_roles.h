// Holds the controllers to what deploy/rbac.yaml allows them, as an API server with RBAC would.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "http/transport.h"

namespace tenon::scenarios {

// Requests pass through `inner`; those that the roles do not allow are noted in `refused` (borrowed), once each:
// "patch pods/status in default".
std::unique_ptr<http::Transport> hold_to_roles(std::unique_ptr<http::Transport> inner,
                                               std::vector<std::string>& refused);

}  // namespace tenon::scenarios
