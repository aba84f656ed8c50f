// Keeps the EC2NodeClass status (what its selectors resolve to, whether it can launch), its hash and its finalizer.
// parity: karpenter-provider-aws pkg/controllers/nodeclass
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "controllers/context.h"
#include "controllers/loop.h"

namespace tenon::controllers::nodeclass {

class Controller {
 public:
  explicit Controller(Context& context);  // registers with the caches: before Cluster::start
  void start() { loop_.start(); }
  void stop() { loop_.stop(); }

 private:
  Result<Next> reconcile(const std::string& name, const std::stop_token& stop);
  Result<Next> end(const model::NodeClass& node_class, const std::stop_token& stop);

  Context& context_;
  Loop loop_;
};

}  // namespace tenon::controllers::nodeclass
