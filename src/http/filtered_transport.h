// A transport that sends only the requests that a rule admits. It is the last line before the socket of a process that
// must not write, such as an observer (kube/observer_rule.h, aws/observer_rule.h): an error in the code above it cannot
// send another request.
// Thread rule: that of the inner transport; the rule is called from any thread, several at once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "http/transport.h"

namespace tenon::http {

// Returns ok for a request that may be sent; otherwise an error that says why not. Must be pure.
using RequestRule = std::function<Status(const Request& request)>;

// Owns `inner`. Errors: those of `inner`; that of the rule, and then nothing is sent.
std::unique_ptr<Transport> make_filtered_transport(std::unique_ptr<Transport> inner, RequestRule admits);

}  // namespace tenon::http
