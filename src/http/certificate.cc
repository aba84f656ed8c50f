// SPDX-License-Identifier: Apache-2.0
#include "http/certificate.h"

#include <arpa/inet.h>
#include <openssl/bn.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <ctime>

#include "http/openssl_util.h"
#include "http/server.h"

namespace tenon::http {
namespace {

constexpr Duration kClockTolerance = 1h;
constexpr size_t kSerialBytes = 16;
constexpr size_t kMaxCommonName = 64;  // X.520 ub-common-name

struct Extension {
  int nid;
  std::string value;  // OpenSSL's configuration syntax
};

struct Subject {
  std::string common_name;
  std::vector<std::string> organizations;
};

bool is_ip_address(const std::string& name) {
  unsigned char bytes[sizeof(in6_addr)];
  return inet_pton(AF_INET, name.c_str(), bytes) == 1 || inet_pton(AF_INET6, name.c_str(), bytes) == 1;
}

// Restricts the characters, because names become part of OpenSSL's configuration syntax.
bool is_dns_name(std::string_view name) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
           c == '_' || c == '*';
  };
  return !name.empty() && name.size() <= 253 && std::all_of(name.begin(), name.end(), allowed);
}

bool add_name_entry(X509_NAME* name, const char* field, const std::string& value) {
  return X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8, reinterpret_cast<const unsigned char*>(value.data()),
                                    static_cast<int>(value.size()), -1, 0) == 1;
}

bool set_random_serial(X509* cert) {
  unsigned char bytes[kSerialBytes];
  if (RAND_bytes(bytes, sizeof bytes) != 1) return false;
  bytes[0] &= 0x7f;  // positive
  const std::unique_ptr<BIGNUM, decltype(&BN_free)> number(BN_bin2bn(bytes, sizeof bytes, nullptr), BN_free);
  return number && BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(cert)) != nullptr;
}

bool set_time(ASN1_TIME* field, Instant t) {
  return ASN1_TIME_set(field, std::chrono::duration_cast<std::chrono::seconds>(t.time_since_epoch()).count()) !=
         nullptr;
}

bool add_extension(X509* cert, X509* issuer, const Extension& extension) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, cert, nullptr, nullptr, 0);
  X509V3_set_ctx_nodb(&context);
  const std::unique_ptr<X509_EXTENSION, decltype(&X509_EXTENSION_free)> made(
      X509V3_EXT_conf_nid(nullptr, &context, extension.nid, extension.value.c_str()), X509_EXTENSION_free);
  return made && X509_add_ext(cert, made.get(), -1) == 1;
}

tl::unexpected<Error> openssl_failed(std::string_view doing) {
  return fail(Code::kInternal, "OpenSSL: " + std::string(doing) + ": " + openssl_error());
}

Result<std::string> cert_to_pem(X509* cert) {
  const BioPtr bio(BIO_new(BIO_s_mem()));
  if (!bio || PEM_write_bio_X509(bio.get(), cert) != 1) return openssl_failed("writing a certificate");
  return bio_content(bio.get());
}

Result<std::string> key_to_pem(EVP_PKEY* key) {
  const BioPtr bio(BIO_new(BIO_s_mem()));
  if (!bio || PEM_write_bio_PKCS8PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr) != 1) {
    return openssl_failed("writing a private key");
  }
  return bio_content(bio.get());
}

class Authority : public CertificateAuthority {
 public:
  Authority(Duration lifetime, Instant now) : from_(now - kClockTolerance), until_(now + lifetime) {}

  Status init() {
    key_.reset(EVP_EC_gen("P-256"));
    if (!key_) return openssl_failed("making a key");
    cert_ = TRY(sign(key_.get(), {"tenon-ca", {}},
                     {{NID_basic_constraints, "critical,CA:TRUE"},
                      {NID_key_usage, "critical,digitalSignature,keyCertSign,cRLSign"},
                      {NID_subject_key_identifier, "hash"}}));
    ca_pem_ = TRY(cert_to_pem(cert_.get()));
    return ok();
  }

  const std::string& ca_pem() const override { return ca_pem_; }

  Result<KeyPair> issue_server(const std::vector<std::string>& names) override {
    if (names.empty()) return fail(Code::kInvalid, "certificate: names: at least one is needed");
    std::string alternatives;
    for (const std::string& name : names) {
      const bool ip = is_ip_address(name);
      if (!ip && !is_dns_name(name)) {
        return fail(Code::kInvalid, "certificate: names: '" + name + "' is neither a DNS name nor an IP address");
      }
      alternatives += (alternatives.empty() ? "" : ",") + std::string(ip ? "IP:" : "DNS:") + name;
    }
    return issue({names.front().substr(0, kMaxCommonName), {}},
                 {{NID_subject_alt_name, alternatives}, {NID_ext_key_usage, "serverAuth"}});
  }

  Result<KeyPair> issue_client(const std::string& common_name, const std::vector<std::string>& organizations) override {
    if (common_name.empty() || common_name.size() > kMaxCommonName) {
      return fail(Code::kInvalid, "certificate: common name: must have 1 to 64 bytes: '" + common_name + "'");
    }
    return issue({common_name, organizations}, {{NID_ext_key_usage, "clientAuth"}});
  }

 private:
  Result<KeyPair> issue(const Subject& subject, std::vector<Extension> extensions) const {
    const KeyPtr key(EVP_EC_gen("P-256"));
    if (!key) return openssl_failed("making a key");
    extensions.push_back({NID_basic_constraints, "critical,CA:FALSE"});
    extensions.push_back({NID_key_usage, "critical,digitalSignature"});
    extensions.push_back({NID_authority_key_identifier, "keyid"});
    const CertPtr cert = TRY(sign(key.get(), subject, extensions));
    KeyPair pair;
    pair.cert_pem = TRY(cert_to_pem(cert.get()));
    pair.key_pem = TRY(key_to_pem(key.get()));
    return pair;
  }

  // Signs with the authority's key; the authority's own certificate is self-signed.
  Result<CertPtr> sign(EVP_PKEY* key, const Subject& subject, const std::vector<Extension>& extensions) const {
    CertPtr cert(X509_new());
    if (!cert || X509_set_version(cert.get(), X509_VERSION_3) != 1 || !set_random_serial(cert.get()) ||
        !set_time(X509_getm_notBefore(cert.get()), from_) || !set_time(X509_getm_notAfter(cert.get()), until_) ||
        X509_set_pubkey(cert.get(), key) != 1) {
      return openssl_failed("making a certificate");
    }
    X509_NAME* name = X509_get_subject_name(cert.get());
    bool named = true;
    for (const std::string& organization : subject.organizations) named &= add_name_entry(name, "O", organization);
    named &= add_name_entry(name, "CN", subject.common_name);
    X509* issuer = cert_ ? cert_.get() : cert.get();
    if (!named || X509_set_issuer_name(cert.get(), X509_get_subject_name(issuer)) != 1) {
      return openssl_failed("naming a certificate");
    }
    for (const Extension& extension : extensions) {
      if (!add_extension(cert.get(), issuer, extension)) return openssl_failed("extension '" + extension.value + "'");
    }
    if (X509_sign(cert.get(), key_.get(), EVP_sha256()) == 0) return openssl_failed("signing a certificate");
    return cert;
  }

  const Instant from_, until_;
  KeyPtr key_;
  CertPtr cert_;
  std::string ca_pem_;
};

}  // namespace

bool CertificateFacts::names(std::string_view host) const {
  return std::find(dns_names.begin(), dns_names.end(), host) != dns_names.end();
}

Result<CertificateFacts> read_certificate(const std::string& pem) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> bytes(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())),
                                                        BIO_free);
  const CertPtr cert(bytes ? PEM_read_bio_X509(bytes.get(), nullptr, nullptr, nullptr) : nullptr);
  if (!cert) return fail(Code::kInvalid, "certificate: the text holds no certificate in PEM form");
  CertificateFacts facts;
  std::tm until{};
  if (ASN1_TIME_to_tm(X509_get0_notAfter(cert.get()), &until) != 1) return openssl_failed("reading a certificate");
  facts.valid_until = Instant(std::chrono::seconds(::timegm(&until)));
  const std::unique_ptr<GENERAL_NAMES, decltype(&GENERAL_NAMES_free)> names(
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(cert.get(), NID_subject_alt_name, nullptr, nullptr)),
      GENERAL_NAMES_free);
  for (int i = 0; names && i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(names.get(), i);
    if (name->type != GEN_DNS) continue;
    const ASN1_STRING* text = name->d.dNSName;
    facts.dns_names.emplace_back(reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
                                 static_cast<size_t>(ASN1_STRING_length(text)));
  }
  return facts;
}

Result<std::unique_ptr<CertificateAuthority>> make_certificate_authority(Duration lifetime, Instant now) {
  auto authority = std::make_unique<Authority>(lifetime, now);
  TRY(authority->init());
  return std::unique_ptr<CertificateAuthority>(std::move(authority));
}

Result<SelfSigned> make_self_signed(const std::vector<std::string>& names, Duration lifetime, Instant now) {
  const auto authority = TRY(make_certificate_authority(lifetime, now));
  KeyPair pair = TRY(authority->issue_server(names));
  return SelfSigned{authority->ca_pem(), std::move(pair.cert_pem), std::move(pair.key_pem)};
}

}  // namespace tenon::http
