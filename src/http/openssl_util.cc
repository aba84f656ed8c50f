// SPDX-License-Identifier: Apache-2.0
#include "http/openssl_util.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

namespace tenon::http {

void OpenSslFree::operator()(bio_st* p) const { BIO_free(p); }
void OpenSslFree::operator()(evp_pkey_st* p) const { EVP_PKEY_free(p); }
void OpenSslFree::operator()(ssl_ctx_st* p) const { SSL_CTX_free(p); }
void OpenSslFree::operator()(ssl_st* p) const { SSL_free(p); }
void OpenSslFree::operator()(x509_st* p) const { X509_free(p); }

BioPtr memory_bio(std::string_view content) {
  return BioPtr(BIO_new_mem_buf(content.data(), static_cast<int>(content.size())));
}

std::string bio_content(bio_st* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return size > 0 ? std::string(data, static_cast<size_t>(size)) : std::string();
}

std::string openssl_error() {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  if (code == 0) return "unknown TLS error";
  const char* reason = ERR_reason_error_string(code);
  if (reason != nullptr) return reason;
  char text[256];
  ERR_error_string_n(code, text, sizeof text);
  return text;
}

}  // namespace tenon::http
