// SPDX-License-Identifier: Apache-2.0
#include "webhooks/certificate.h"

#include <optional>
#include <utility>

#include "base/text.h"
#include "http/certificate.h"
#include "http/server.h"
#include "json/json.h"
#include "kube/resource_types.h"

namespace tenon::webhooks {
namespace {

using json::object;
using json::value;

constexpr std::string_view kKey = "server-key.pem", kCert = "server-cert.pem", kCa = "ca-cert.pem";
constexpr std::string_view kEnd = "-----END CERTIFICATE-----";
constexpr int kTries = 3;  // a replica may write at the same time

std::string text_of(const value& secret, std::string_view key) {
  std::string out;
  (void)base64_decode(json::string_at(secret, {"data", key}), out);  // cleared if it is not base64
  return out;
}

std::string first_certificate(const std::string& bundle) {
  const size_t end = bundle.find(kEnd);
  return end == std::string::npos ? "" : bundle.substr(0, end + kEnd.size()) + "\n";
}

// Returns the certificate in the Secret if it names the Service and stays valid for kRenewBefore.
std::optional<Certificate> usable(const value& secret, const ServiceName& service, Instant now) {
  Certificate out{text_of(secret, kCa), text_of(secret, kCert), text_of(secret, kKey)};
  if (out.ca_pem.empty() || out.key_pem.empty()) return std::nullopt;
  const auto facts = http::read_certificate(out.cert_pem);
  const bool serves = facts && facts->valid_until - now >= kRenewBefore && facts->names(service.host());
  return serves ? std::optional(std::move(out)) : std::nullopt;
}

Result<value> fresh(const ServiceName& service, const value& before, Instant now) {
  const http::SelfSigned made =
      TRY(http::make_self_signed({service.host(), service.host() + ".cluster.local"}, kCertificateLifetime, now));
  std::string ca = made.ca_pem;
  const std::string last = first_certificate(text_of(before, kCa));
  if (const auto facts = http::read_certificate(last); facts && facts->valid_until > now) ca += last;
  object data{{kKey, base64_encode(made.key_pem)}, {kCert, base64_encode(made.cert_pem)}, {kCa, base64_encode(ca)}};
  return value(std::move(data));
}

}  // namespace

Result<Certificate> shared_certificate(kube::Client& client, runtime::Runtime& runtime, const ServiceName& service,
                                       const std::stop_token& stop) {
  const kube::ObjectName name{service.ns, service.secret()};
  for (int tries = 1;; ++tries) {
    auto secret = client.get(kube::kSecrets, name, stop);
    if (!secret && secret.error().code != Code::kNotFound) return fail(secret.error());
    if (secret) {
      if (auto certificate = usable(*secret, service, runtime.now())) return *certificate;
    }
    value wanted = secret ? *secret
                          : value(object{{"apiVersion", "v1"},
                                         {"kind", "Secret"},
                                         {"metadata", object{{"name", name.name}, {"namespace", name.ns}}},
                                         {"type", "Opaque"}});
    json::ensure(wanted, {"data"}) = TRY(fresh(service, wanted, runtime.now()));
    const auto written = secret ? client.update(kube::kSecrets, name, wanted, "", stop)
                                : client.create(kube::kSecrets, name.ns, wanted, stop);
    if (written) {
      if (auto certificate = usable(*written, service, runtime.now())) return *certificate;
      return fail(Code::kInternal, "Secret " + name.ns + "/" + name.name + ": the API server stored something else");
    }
    const bool raced = written.error().code == Code::kAlreadyExists || written.error().code == Code::kConflict;
    if (!raced || tries == kTries) return fail(written.error());
  }
}

}  // namespace tenon::webhooks
