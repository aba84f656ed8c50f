// Keeps static NodePools at their number of nodes (feature gate StaticCapacity); see decide.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>

#include "controllers/context.h"
#include "controllers/loop.h"

namespace tenon::controllers::static_pools {

class Controller {
 public:
  explicit Controller(Context& context);  // registers with the caches: before Cluster::start
  void start() { loop_.start(); }
  void stop() { loop_.stop(); }

 private:
  Result<Next> reconcile(const std::string& name, const std::stop_token& stop);
  Status create(const scheduling::PoolView& view, size_t count, const std::stop_token& stop);

  Context& context_;
  std::map<std::string, Instant> bought_at_;  // by pool; of the one worker
  Loop loop_;                                 // of one worker: two looks at a time could both buy what is missing
};

}  // namespace tenon::controllers::static_pools
