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

// Routes by the URL's host (with port, if any); an unknown host is kUnavailable. The handlers must outlive it, and the
// clock as well: with one, a stream ends with kTimeout after its request's timeout without a byte. Without one, nothing
// times out.
std::unique_ptr<Transport> make_loopback_transport(std::map<std::string, Handler*> hosts,
                                                   runtime::Runtime* clock = nullptr);

}  // namespace tenon::http
