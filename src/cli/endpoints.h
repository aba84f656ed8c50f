// What Prometheus and the kubelet's probes ask of `tenon controller`: /metrics, /healthz, /readyz. Any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "http/handler.h"
#include "metrics/registry.h"

namespace tenon::cli {

class EndpointHandler : public http::Handler {
 public:
  // Borrowed.
  explicit EndpointHandler(const metrics::Registry& registry) : registry_(registry) {}
  void serve(const http::ServerRequest& request, http::ResponseWriter& writer, const std::stop_token& stop) override;

 private:
  const metrics::Registry& registry_;
};

}  // namespace tenon::cli
