// Converts HTTP error responses of an API server.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "base/error.h"
#include "http/message.h"

namespace tenon::kube {

// Returns the error of a response whose status is not 2xx. `what` describes the request: `patch nodeclaims
// "default-x"`. Reason and message come from the Status object in the body, if there is one.
Error error_of(const http::Response& response, const std::string& what);

// Returns the time after which the same request may be sent again because the server did not process it: 401, 429 and
// 503 with a Retry-After in seconds. Empty for other responses, and for an eviction that a PodDisruptionBudget forbids,
// which its caller decides about. parity: client-go rest/with_retry.go
std::optional<Duration> pause_before_retry(const http::Response& response);

}  // namespace tenon::kube
