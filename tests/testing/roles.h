// Restricts the controllers to the permissions of deploy/rbac.yaml, or of other files of deploy/, as an API server with
// RBAC does.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "http/transport.h"

namespace tenon::testing {

// Requests pass through `inner`; a request that the roles do not allow is recorded in `refused` (borrowed), once:
// "patch pods/status in default".
std::unique_ptr<http::Transport> hold_to_roles(std::unique_ptr<http::Transport> inner,
                                               std::vector<std::string>& refused,
                                               const std::vector<std::string>& files = {"rbac.yaml"});

}  // namespace tenon::testing
