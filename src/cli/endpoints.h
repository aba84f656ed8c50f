// What Prometheus and the kubelet's probes ask of `tenon controller`: /metrics, /healthz, /readyz. Any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "http/handler.h"
#include "metrics/registry.h"

namespace tenon::cli {

class EndpointHandler : public http::Handler {
 public:
  // The registry is borrowed. `ready` may be called from any thread; empty: always.
  explicit EndpointHandler(const metrics::Registry& registry, std::function<bool()> ready = {})
      : registry_(registry), ready_(std::move(ready)) {}
  void serve(const http::ServerRequest& request, http::ResponseWriter& writer, const std::stop_token& stop) override;

 private:
  const metrics::Registry& registry_;
  const std::function<bool()> ready_;
};

}  // namespace tenon::cli
