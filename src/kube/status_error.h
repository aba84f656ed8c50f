// Converts HTTP error responses of an API server.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/error.h"
#include "http/message.h"

namespace tenon::kube {

// Returns the error of a response whose status is not 2xx. `what` describes the request: `patch nodeclaims
// "default-x"`. Reason and message come from the Status object in the body, if there is one.
Error error_of(const http::Response& response, const std::string& what);

}  // namespace tenon::kube
