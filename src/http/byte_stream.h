// The bytes of one accepted connection, plain or through TLS, for http/server.cc.
// Thread rule: one thread at a time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tenon::http {

struct TlsServerOptions;

struct PeerIdentity {
  std::string common_name;
  std::vector<std::string> organizations;
};

class ByteStream {
 public:
  virtual ~ByteStream() = default;
  // Appends at least one byte to `into`. Errors: kUnavailable (the peer closed or reset the connection), kTimeout.
  virtual Status read(std::string& into, Duration timeout) = 0;
  // Writes all bytes. Errors: kUnavailable.
  virtual Status write(std::string_view bytes) = 0;
  // Closes the sending direction; no write may follow.
  virtual void finish() = 0;
  // Returns the identity of the verified client certificate; empty otherwise.
  virtual PeerIdentity peer() const = 0;
};

// make_plain_stream() and TlsContext::accept() borrow the descriptor.
std::unique_ptr<ByteStream> make_plain_stream(int fd);

// Certificates, shared by all connections.
class TlsContext {
 public:
  virtual ~TlsContext() = default;
  // Performs the handshake. Errors: kUnavailable, kTimeout.
  virtual Result<std::unique_ptr<ByteStream>> accept(int fd) const = 0;
};
// Errors: kInvalid (the PEM text that cannot be parsed, or a key that does not match the certificate).
Result<std::unique_ptr<TlsContext>> make_tls_context(const TlsServerOptions& options);

}  // namespace tenon::http
