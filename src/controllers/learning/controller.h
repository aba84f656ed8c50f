// Reports the capacity of Nodes to the provider, because EC2 states the memory available to pods only roughly.
// parity: karpenter-provider-aws pkg/controllers/providers/instancetype/capacity
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "controllers/context.h"
#include "controllers/loop.h"

namespace tenon::controllers::learning {

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

}  // namespace tenon::controllers::learning
