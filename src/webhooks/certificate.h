// The certificate of the webhook server, which all replicas share: a Secret with server-key.pem, server-cert.pem and
// ca-cert.pem, as Karpenter has it. The first replica makes it; the one that finds less than a day left replaces it.
// Then ca-cert.pem holds the new CA and the one before, so that replicas with the old certificate stay trusted until
// they read the Secret again.
//
// Private keys are in the Secret and in memory only; no log line and no error contains them.
// Thread rule: any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "kube/client.h"
#include "runtime/runtime.h"

namespace tenon::webhooks {

inline constexpr Duration kCertificateLifetime = 168h, kRenewBefore = 24h;

struct Certificate {
  std::string ca_pem;  // one CA, or the one before as well
  std::string cert_pem, key_pem;
  friend bool operator==(const Certificate&, const Certificate&) = default;
};

// The Service that the certificate names; the Secret is in its namespace.
struct ServiceName {
  std::string ns = "kube-system", name = "karpenter";
  std::string secret() const { return name + "-cert"; }
  std::string host() const { return name + "." + ns + ".svc"; }
};

// Returns the certificate of the Secret, which it creates or replaces if it is absent, unreadable, of another Service
// or nearly expired. Replicas may call it at the same time: one write wins, the others read it. Errors: of the API
// server.
Result<Certificate> shared_certificate(kube::Client& client, runtime::Runtime& runtime, const ServiceName& service,
                                       const std::stop_token& stop);

}  // namespace tenon::webhooks
