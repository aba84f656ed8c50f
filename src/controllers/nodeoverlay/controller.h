// Reports for each NodeOverlay whether it is in effect; see decide.h. The changes of overlays are applied where
// NodePools are read (state/cluster.h).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "controllers/context.h"
#include "controllers/controller.h"
#include "controllers/loop.h"

namespace tenon::controllers::nodeoverlay {

class Controller final : public controllers::Controller {
 public:
  explicit Controller(Context& context);  // registers with the caches: before Cluster::start
  void start() override { loop_.start(); }
  void stop() override { loop_.stop(); }

 private:
  Result<Next> reconcile(const std::stop_token& stop);

  Context& context_;
  Loop loop_;  // one key: overlays are judged together
};

}  // namespace tenon::controllers::nodeoverlay
