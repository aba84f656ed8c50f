// Owning pointers for OpenSSL objects, and its error queue as text. Include in .cc files only.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

struct bio_st;
struct evp_pkey_st;
struct ssl_ctx_st;
struct ssl_st;
struct x509_st;

namespace tenon::http {

struct OpenSslFree {
  void operator()(bio_st* p) const;
  void operator()(evp_pkey_st* p) const;
  void operator()(ssl_ctx_st* p) const;
  void operator()(ssl_st* p) const;
  void operator()(x509_st* p) const;
};
using BioPtr = std::unique_ptr<bio_st, OpenSslFree>;
using KeyPtr = std::unique_ptr<evp_pkey_st, OpenSslFree>;
using SslCtxPtr = std::unique_ptr<ssl_ctx_st, OpenSslFree>;
using SslPtr = std::unique_ptr<ssl_st, OpenSslFree>;
using CertPtr = std::unique_ptr<x509_st, OpenSslFree>;

BioPtr memory_bio(std::string_view content);
std::string bio_content(bio_st* bio);
// Returns the oldest error of this thread's queue and empties the queue.
std::string openssl_error();

}  // namespace tenon::http
