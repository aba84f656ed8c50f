// Serves a Handler on a loopback or any address: HTTP/1.1, keep-alive, chunked streaming, optional TLS, one thread for
// each connection. Limits (connections, header and body size, idle time) are in http/limits.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "http/handler.h"
#include "http/limits.h"

namespace tenon::http {

struct TlsServerOptions {
  std::string cert_pem;  // chain
  std::string key_pem;
  std::string client_ca_pem;  // empty: requests no client certificates
};

struct ServerOptions {
  std::string address = "127.0.0.1";  // empty: every address of the host, IPv6 and IPv4
  uint16_t port = 0;                  // 0: a free port
  // Further connections are rejected: plain ones with 503, TLS ones by closing. Each takes a thread and a descriptor.
  size_t max_connections = kMaxServerConnections;
  std::unique_ptr<TlsServerOptions> tls;  // null: plain
  // Called if a handler throws, with what() for the log. The request is answered with 500, or its answer is cut short.
  // Called from connection threads; may be empty.
  std::function<void(const ServerRequest& request, std::string_view what)> threw;
};

class Server {
 public:
  virtual ~Server() = default;  // requests the stop of open watches, then joins every thread
  virtual uint16_t port() const = 0;
};

// Errors: kInvalid (certificate or key cannot be parsed), kUnavailable (the port is taken: the message says so).
Result<std::unique_ptr<Server>> start_server(Handler& handler, ServerOptions options);

// Returns a new key and a certificate for these names and addresses ("localhost", "127.0.0.1"), signed by a new CA.
struct SelfSigned {
  std::string ca_pem, cert_pem, key_pem;
};
Result<SelfSigned> make_self_signed(const std::vector<std::string>& names, Duration lifetime, Instant now);

}  // namespace tenon::http
