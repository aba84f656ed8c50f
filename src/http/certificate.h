// An in-memory certificate authority (EC P-256) for the minicluster's server and for client certificates.
// Thread rule: one thread at a time. Errors: kInvalid (a name that cannot be in a certificate), kInternal (OpenSSL).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tenon::http {

struct KeyPair {
  std::string cert_pem, key_pem;
};

class CertificateAuthority {
 public:
  virtual ~CertificateAuthority() = default;
  virtual const std::string& ca_pem() const = 0;
  // For DNS names and IP addresses (distinguished by their syntax); the first one is the common name.
  virtual Result<KeyPair> issue_server(const std::vector<std::string>& names) = 0;
  // Kubernetes reads the common name as the user and the organizations as its groups.
  virtual Result<KeyPair> issue_client(const std::string& common_name,
                                       const std::vector<std::string>& organizations) = 0;
};

// The properties of a certificate that its users compare.
struct CertificateFacts {
  Instant valid_until{};
  std::vector<std::string> dns_names;
  bool names(std::string_view host) const;  // compares whole names; a wildcard matches itself only
};
// Reads the first certificate in the text. Errors: kInvalid: the text has none.
Result<CertificateFacts> read_certificate(const std::string& pem);

// The certificates are valid from an hour before `now` (other clocks may be slow) until `now` + `lifetime`.
Result<std::unique_ptr<CertificateAuthority>> make_certificate_authority(Duration lifetime, Instant now);

}  // namespace tenon::http
