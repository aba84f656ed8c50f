// Serves a Handler on a loopback or any address: HTTP/1.1, keep-alive, chunked streaming, optional TLS, a thread per
// connection. Limits (connections, header and body size, idle time) are in http/limits.h.
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
  std::string client_ca_pem;  // empty: client certificates are not asked for
};

struct ServerOptions {
  std::string address = "127.0.0.1";  // empty: every address of the host, IPv6 and IPv4
  uint16_t port = 0;  // 0: a free one
  // More are refused: with 503 when plain, by closing when TLS. Each takes a thread and a descriptor.
  size_t max_connections = kMaxServerConnections;
  std::unique_ptr<TlsServerOptions> tls;  // null: plain
  // A handler threw: its request is answered with 500 or cut short, and this receives what() for the log. Called from
  // the threads of connections; may be empty.
  std::function<void(const ServerRequest& request, std::string_view what)> threw;
};

class Server {
 public:
  virtual ~Server() = default;  // stops: open watches get their stop, then every thread is joined
  virtual uint16_t port() const = 0;
};

// Errors: kInvalid (certificate or key cannot be read), kUnavailable (the port is taken: the message says so).
Result<std::unique_ptr<Server>> start_server(Handler& handler, ServerOptions options);

// A new key and a certificate for these names and addresses ("localhost", "127.0.0.1"), signed by a new CA.
struct SelfSigned {
  std::string ca_pem, cert_pem, key_pem;
};
Result<SelfSigned> make_self_signed(const std::vector<std::string>& names, Duration lifetime, Instant now);

}  // namespace tenon::http
