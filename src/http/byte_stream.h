// One accepted connection's bytes, plain or through TLS, for http/server.cc.
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
  // Appends at least one byte to `into`. Errors: kUnavailable (the peer closed or broke the connection), kTimeout.
  virtual Status read(std::string& into, Duration timeout) = 0;
  // All of it, or kUnavailable.
  virtual Status write(std::string_view bytes) = 0;
  // Says goodbye; nothing may be written afterwards.
  virtual void finish() = 0;
  // The client certificate's, when one was verified.
  virtual PeerIdentity peer() const = 0;
};

// Both borrow the descriptor.
std::unique_ptr<ByteStream> make_plain_stream(int fd);

// Certificates, ready for use by many connections.
class TlsContext {
 public:
  virtual ~TlsContext() = default;
  // The handshake. Errors: kUnavailable, kTimeout.
  virtual Result<std::unique_ptr<ByteStream>> accept(int fd) const = 0;
};
// Errors: kInvalid (which of the PEM texts cannot be read, or that the key does not belong to the certificate).
Result<std::unique_ptr<TlsContext>> make_tls_context(const TlsServerOptions& options);

}  // namespace tenon::http
