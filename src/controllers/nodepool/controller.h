// Keeps NodePool status and hash annotations; see decide.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "controllers/context.h"
#include "controllers/controller.h"
#include "controllers/loop.h"

namespace tenon::controllers::nodepool {

class Controller final : public controllers::Controller {
 public:
  explicit Controller(Context& context);  // registers with the caches: before Cluster::start
  void start() override { loop_.start(); }
  void stop() override { loop_.stop(); }

 private:
  Result<Next> reconcile(const std::string& name, const std::stop_token& stop);
  using ClaimPtr = std::shared_ptr<const model::NodeClaim>;
  std::vector<ClaimPtr> unstamped_claims(const std::string& pool) const;

  Context& context_;
  Loop loop_;
};

}  // namespace tenon::controllers::nodepool
