// The endpoints of `tenon controller` for Prometheus and the kubelet's probes: /metrics, /healthz, /readyz. Any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "http/handler.h"
#include "metrics/registry.h"

namespace tenon::cli {

class EndpointHandler : public http::Handler {
 public:
  // The registry is borrowed. `not_ready` returns why the process is not ready (empty: it is); called from any thread.
  explicit EndpointHandler(const metrics::Registry& registry, std::function<std::string()> not_ready = {})
      : registry_(registry), not_ready_(std::move(not_ready)) {}
  void serve(const http::ServerRequest& request, http::ResponseWriter& writer, const std::stop_token& stop) override;

 private:
  const metrics::Registry& registry_;
  const std::function<std::string()> not_ready_;
};

}  // namespace tenon::cli
