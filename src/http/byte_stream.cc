// SPDX-License-Identifier: Apache-2.0
#include "http/byte_stream.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "http/limits.h"
#include "http/openssl_util.h"
#include "http/server.h"

namespace tenon::http {
namespace {

tl::unexpected<Error> peer_gone(std::string_view why) {
  return fail(Code::kUnavailable, "the peer has gone: " + std::string(why));
}

void set_timeout(int fd, int option, Duration timeout) {
  timeval value{};
  value.tv_sec = timeout / 1s;
  value.tv_usec = (timeout % 1s) / 1us;
  setsockopt(fd, SOL_SOCKET, option, &value, sizeof value);
}

Status wait_readable(int fd, Duration timeout) {
  pollfd entry{.fd = fd, .events = POLLIN, .revents = 0};
  int ready = 0;
  do {
    ready = poll(&entry, 1, static_cast<int>(timeout / 1ms));
  } while (ready < 0 && errno == EINTR);
  if (ready == 0) return fail(Code::kTimeout, "the peer is silent");
  return ok();
}

class PlainStream : public ByteStream {
 public:
  explicit PlainStream(int fd) : fd_(fd) { set_timeout(fd, SO_SNDTIMEO, kWriteTimeout); }

  Status read(std::string& into, Duration timeout) override {
    TRY(wait_readable(fd_, timeout));
    char buffer[kReadChunkBytes];
    ssize_t got = 0;
    do {
      got = recv(fd_, buffer, sizeof buffer, 0);
    } while (got < 0 && errno == EINTR);
    if (got == 0) return peer_gone("closed");
    if (got < 0) return peer_gone(std::strerror(errno));
    into.append(buffer, static_cast<size_t>(got));
    return ok();
  }

  Status write(std::string_view bytes) override {
    while (!bytes.empty()) {
      const ssize_t sent = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent <= 0) return peer_gone(std::strerror(errno));
      bytes.remove_prefix(static_cast<size_t>(sent));
    }
    return ok();
  }

  void finish() override { shutdown(fd_, SHUT_WR); }
  PeerIdentity peer() const override { return {}; }

 private:
  const int fd_;
};

PeerIdentity identity_of(X509* cert) {
  PeerIdentity identity;
  const X509_NAME* name = X509_get_subject_name(cert);
  for (int i = 0; i < X509_NAME_entry_count(name); ++i) {
    const X509_NAME_ENTRY* entry = X509_NAME_get_entry(name, i);
    unsigned char* utf8 = nullptr;
    const int size = ASN1_STRING_to_UTF8(&utf8, X509_NAME_ENTRY_get_data(entry));
    if (size < 0) continue;
    const std::string text(reinterpret_cast<const char*>(utf8), static_cast<size_t>(size));
    OPENSSL_free(utf8);
    const int field = OBJ_obj2nid(X509_NAME_ENTRY_get_object(entry));
    if (field == NID_commonName) identity.common_name = text;
    if (field == NID_organizationName) identity.organizations.push_back(text);
  }
  return identity;
}

// SIGPIPE: OpenSSL writes without MSG_NOSIGNAL, so the server's connection threads block that signal.
class TlsStream : public ByteStream {
 public:
  TlsStream(int fd, SslPtr ssl) : fd_(fd), ssl_(std::move(ssl)) {
    set_timeout(fd, SO_SNDTIMEO, kWriteTimeout);
    set_timeout(fd, SO_RCVTIMEO, kReadTimeout);  // limits the wait for the rest of a record
  }
  ~TlsStream() override { ERR_clear_error(); }

  Status read(std::string& into, Duration timeout) override {
    if (SSL_pending(ssl_.get()) == 0) TRY(wait_readable(fd_, timeout));
    char buffer[kReadChunkBytes];
    ERR_clear_error();
    const int got = SSL_read(ssl_.get(), buffer, sizeof buffer);
    if (got > 0) {
      into.append(buffer, static_cast<size_t>(got));
      return ok();
    }
    const int error = SSL_get_error(ssl_.get(), got);
    if (error == SSL_ERROR_ZERO_RETURN) return peer_gone("closed");
    broken_ = true;
    if (error == SSL_ERROR_WANT_READ) return fail(Code::kTimeout, "the peer is silent");
    return peer_gone(error == SSL_ERROR_SYSCALL ? std::strerror(errno) : openssl_error());
  }

  Status write(std::string_view bytes) override {
    while (!bytes.empty()) {
      ERR_clear_error();
      size_t sent = 0;
      if (broken_ || SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &sent) != 1) {
        broken_ = true;
        return peer_gone("write");
      }
      bytes.remove_prefix(sent);
    }
    return ok();
  }

  void finish() override {
    if (!broken_) SSL_shutdown(ssl_.get());
    shutdown(fd_, SHUT_WR);
  }

  PeerIdentity peer() const override {
    const CertPtr cert(SSL_get1_peer_certificate(ssl_.get()));
    if (!cert || SSL_get_verify_result(ssl_.get()) != X509_V_OK) return {};
    return identity_of(cert.get());
  }

 private:
  const int fd_;
  const SslPtr ssl_;
  bool broken_ = false;
};

int choose_http11(SSL*, const unsigned char** out, unsigned char* out_size, const unsigned char* in,
                  unsigned int in_size, void*) {
  static constexpr unsigned char kProtocols[] = "\x08http/1.1";
  unsigned char* chosen = nullptr;
  if (SSL_select_next_proto(&chosen, out_size, kProtocols, sizeof kProtocols - 1, in, in_size) !=
      OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_NOACK;
  }
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

class OpenSslContext : public TlsContext {
 public:
  Status init(const TlsServerOptions& options) {
    context_.reset(SSL_CTX_new(TLS_server_method()));
    if (!context_) return fail(Code::kInternal, "OpenSSL: " + openssl_error());
    SSL_CTX_set_min_proto_version(context_.get(), TLS1_2_VERSION);
    SSL_CTX_set_options(context_.get(), SSL_OP_IGNORE_UNEXPECTED_EOF);
    SSL_CTX_set_mode(context_.get(), SSL_MODE_NO_AUTO_CHAIN);  // sends only the certificates in cert_pem
    SSL_CTX_set_alpn_select_cb(context_.get(), &choose_http11, nullptr);
    static constexpr unsigned char kSessionContext[] = "tenon";
    SSL_CTX_set_session_id_context(context_.get(), kSessionContext, sizeof kSessionContext - 1);
    TRY(use_certificate_chain(options.cert_pem));
    const BioPtr key_bio = memory_bio(options.key_pem);
    const KeyPtr key(PEM_read_bio_PrivateKey(key_bio.get(), nullptr, nullptr, nullptr));
    if (!key) return fail(Code::kInvalid, "TLS: key: not a PEM private key: " + openssl_error());
    if (SSL_CTX_use_PrivateKey(context_.get(), key.get()) != 1) {
      return fail(Code::kInvalid, "TLS: key: does not belong to the certificate: " + openssl_error());
    }
    return options.client_ca_pem.empty() ? ok() : trust_clients(options.client_ca_pem);
  }

  Result<std::unique_ptr<ByteStream>> accept(int fd) const override {
    SslPtr ssl(SSL_new(context_.get()));
    if (!ssl || SSL_set_fd(ssl.get(), fd) != 1) return fail(Code::kUnavailable, "TLS: " + openssl_error());
    set_timeout(fd, SO_RCVTIMEO, kHandshakeTimeout);
    set_timeout(fd, SO_SNDTIMEO, kHandshakeTimeout);
    ERR_clear_error();
    if (SSL_accept(ssl.get()) != 1) {
      const unsigned long error = ERR_peek_error();
      if (ERR_GET_LIB(error) == ERR_LIB_SSL && ERR_GET_REASON(error) == SSL_R_HTTP_REQUEST) {
        static constexpr std::string_view kHint =
            "HTTP/1.0 400 Bad Request\r\nConnection: close\r\n\r\nThis port speaks https, not http.\n";
        (void)!send(fd, kHint.data(), kHint.size(), MSG_NOSIGNAL);
      }
      return fail(Code::kUnavailable, "TLS handshake: " + openssl_error());
    }
    return std::unique_ptr<ByteStream>(std::make_unique<TlsStream>(fd, std::move(ssl)));
  }

 private:
  Status use_certificate_chain(const std::string& pem) {
    const BioPtr bio = memory_bio(pem);
    const CertPtr leaf(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
    if (!leaf) return fail(Code::kInvalid, "TLS: certificate: not PEM: " + openssl_error());
    if (SSL_CTX_use_certificate(context_.get(), leaf.get()) != 1) {
      return fail(Code::kInvalid, "TLS: certificate: " + openssl_error());
    }
    while (CertPtr next{PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)}) {
      if (SSL_CTX_add1_chain_cert(context_.get(), next.get()) != 1) {
        return fail(Code::kInvalid, "TLS: certificate chain: " + openssl_error());
      }
    }
    ERR_clear_error();  // clears the error that the end of the file sets
    return ok();
  }

  // As kube-apiserver: client certificates are optional; an invalid one ends the handshake.
  Status trust_clients(const std::string& pem) {
    const BioPtr bio = memory_bio(pem);
    int count = 0;
    while (CertPtr ca{PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)}) {
      X509_STORE_add_cert(SSL_CTX_get_cert_store(context_.get()), ca.get());
      SSL_CTX_add_client_CA(context_.get(), ca.get());
      ++count;
    }
    ERR_clear_error();
    if (count == 0) return fail(Code::kInvalid, "TLS: client CA: not PEM");
    SSL_CTX_set_verify(context_.get(), SSL_VERIFY_PEER, nullptr);
    return ok();
  }

  SslCtxPtr context_;
};

}  // namespace

std::unique_ptr<ByteStream> make_plain_stream(int fd) { return std::make_unique<PlainStream>(fd); }

Result<std::unique_ptr<TlsContext>> make_tls_context(const TlsServerOptions& options) {
  auto context = std::make_unique<OpenSslContext>();
  TRY(context->init(options));
  return std::unique_ptr<TlsContext>(std::move(context));
}

}  // namespace tenon::http
