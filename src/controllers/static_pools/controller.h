// Keeps static NodePools at their number of nodes (feature gate StaticCapacity); see decide.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "controllers/context.h"
#include "controllers/controller.h"
#include "controllers/loop.h"

namespace tenon::controllers::static_pools {

class Controller final : public controllers::Controller {
 public:
  // Registers with the caches: before Cluster::start. `max_nodes`: as in SolveOptions.
  Controller(Context& context, std::optional<int64_t> max_nodes);
  void start() override { loop_.start(); }
  void stop() override { loop_.stop(); }

 private:
  Result<Next> reconcile(const std::string& name, const std::stop_token& stop);

  Context& context_;
  const std::optional<int64_t> max_nodes_;
  std::map<std::string, Instant> created_at_;  // NodeClaims, by pool; only the one worker
  Loop loop_;                                  // one worker: two in parallel could both launch the missing nodes
};

}  // namespace tenon::controllers::static_pools
