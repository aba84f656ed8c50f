// Replaces unhealthy Nodes, by their conditions (feature gate NodeRepair); see decide.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "controllers/context.h"
#include "controllers/loop.h"

namespace tenon::controllers::repair {

class Controller {
 public:
  explicit Controller(Context& context);  // registers with the caches: before Cluster::start
  void start() { loop_.start(); }
  void stop() { loop_.stop(); }

 private:
  Result<Next> reconcile(const std::string& name, const std::stop_token& stop);

  Context& context_;
  Loop loop_;
};

}  // namespace tenon::controllers::repair
