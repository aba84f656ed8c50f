// Checks the Node of every claim periodically; see decide.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>

#include "controllers/context.h"
#include "controllers/controller.h"
#include "controllers/loop.h"

namespace tenon::controllers::consistency {

class Controller final : public controllers::Controller {
 public:
  explicit Controller(Context& context);  // registers with the caches: before Cluster::start
  void start() override { loop_.start(); }
  void stop() override { loop_.stop(); }

 private:
  Result<Next> reconcile(const std::string& name, const std::stop_token& stop);
  // Returns when the claim is due; if that is now, marks it as checked.
  Instant next_scan(const model::NodeClaim& claim, Instant now);

  Context& context_;
  std::mutex mutex_;
  std::map<std::string, Instant> due_;  // by claim name
  Loop loop_;
};

}  // namespace tenon::controllers::consistency
