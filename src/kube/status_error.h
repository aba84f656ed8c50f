// What an HTTP answer of an API server means.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/error.h"
#include "http/message.h"

namespace tenon::kube {

// The error of a response whose status is not 2xx; `what` is the request in words: `patch nodeclaims "default-x"`.
// The reason and message are those of the Status object in the body, if there is one.
Error error_of(const http::Response& response, const std::string& what);

}  // namespace tenon::kube
