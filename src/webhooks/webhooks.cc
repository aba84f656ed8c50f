// SPDX-License-Identifier: Apache-2.0
#include "webhooks/webhooks.h"

#include <string>
#include <utility>

#include "webhooks/registrations.h"

namespace tenon::webhooks {

Webhooks::~Webhooks() = default;

// The CA is injected before the new certificate is served. The bundle also has the previous CA, so replicas with the
// previous certificate stay trusted.
Status Webhooks::reconcile(const std::stop_token& stop) {
  Status failed = ok();
  const auto registrations = find_registrations(client_, options_.service, options_.admission, failed, stop);
  if (registrations.empty()) return failed;
  const Certificate certificate = TRY(shared_certificate(client_, runtime_, options_.service, stop));
  for (const Registration& registration : registrations) {
    if (registration.trusts(certificate.ca_pem)) continue;
    const Status injected = inject_ca(client_, registration, certificate.ca_pem, stop);
    if (injected) {
      options_.log.info("webhooks: put the CA into " + registration.name);
    } else if (failed) {
      failed = injected;
    }
  }
  TRY(serve(certificate));
  return failed;
}

Status Webhooks::serve(const Certificate& certificate) {
  if (server_ && certificate == serving_) return ok();
  const uint16_t port = server_ ? server_->port() : options_.port;
  server_.reset();  // a listener has one certificate
  http::ServerOptions options;
  options.address = "";  // all addresses, IPv6 and IPv4
  options.port = port;
  options.tls = std::make_unique<http::TlsServerOptions>(
      http::TlsServerOptions{.cert_pem = certificate.cert_pem, .key_pem = certificate.key_pem, .client_ca_pem = {}});
  options.threw = [log = options_.log](const http::ServerRequest& request, std::string_view what) {
    log.failure("webhooks", request.raw_path, {Code::kInternal, "the handler threw: " + std::string(what)});
  };
  server_ = TRY_IN("--webhook-port", http::start_server(handler_, std::move(options)));
  serving_ = certificate;
  options_.log.info("webhooks: serving on port " + std::to_string(server_->port()));
  return ok();
}

void Webhooks::start() {
  task_ = runtime_.spawn("webhooks", [this](const std::stop_token& stop) {
    for (Duration pause = kInterval; runtime_.sleep_for(pause, stop) != runtime::Wake::kStopped;) {
      const Status done = reconcile(stop);
      if (!done && !stop.stop_requested()) options_.log.failure("webhooks", "", done.error());
      pause = done ? kInterval : kRetry;
    }
  });
}

}  // namespace tenon::webhooks
