// Replaces unhealthy Nodes, by their conditions (feature gate NodeRepair); see decide.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cloud/health_reader.h"
#include "controllers/context.h"
#include "controllers/controller.h"
#include "controllers/loop.h"

namespace tenon::controllers::repair {

class Controller final : public controllers::Controller {
 public:
  Controller(Context& context, cloud::HealthReader& health);  // registers with the caches: before Cluster::start
  void start() override { loop_.start(); }
  void stop() override { loop_.stop(); }

 private:
  Result<Next> reconcile(const std::string& name, const std::stop_token& stop);

  Context& context_;
  cloud::HealthReader& health_;
  Loop loop_;
};

}  // namespace tenon::controllers::repair
