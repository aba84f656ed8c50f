// The socket on which a server accepts connections.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"
#include "http/descriptor.h"

namespace tenon::http {

struct Listener {
  Descriptor socket;  // non-blocking
  uint16_t port = 0;
};

// As socket(2); a test replaces it to simulate a kernel without IPv6.
using OpenSocket = std::function<int(int family, int type, int protocol)>;

// `address`: an IP address; empty: all addresses of the host, IPv6 and IPv4 on one socket, or IPv4 alone if the kernel
// has no IPv6. `port` 0: a free port.
// Errors: kInvalid (not an IP address), kUnavailable (the port is taken: the message says so).
Result<Listener> listen_on(const std::string& address, uint16_t port, const OpenSocket& open_socket = ::socket);

}  // namespace tenon::http
