// A Transport whose servers are Handlers in this process: no sockets, no TLS. A streamed response runs its handler on
// the caller's thread. For simulation (`tenon sim`, `tenon demo --check`) and tests.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>

#include "http/handler.h"
#include "http/transport.h"
#include "runtime/runtime.h"

namespace tenon::http {

// Routes by the URL's host (with port, if any). Errors: kUnavailable for an unknown host. The handlers and the clock
// must outlive it. With a clock, a stream ends with kTimeout if no byte arrives within its request's timeout; without
// one, there are no timeouts.
std::unique_ptr<Transport> make_loopback_transport(std::map<std::string, Handler*> hosts,
                                                   runtime::Runtime* clock = nullptr);

}  // namespace tenon::http
