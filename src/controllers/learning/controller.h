// Reports the capacity of Nodes to the provider, because EC2 states the memory available to pods only roughly.
// parity: karpenter-provider-aws pkg/controllers/providers/instancetype/capacity
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cloud/type_reader.h"
#include "controllers/context.h"
#include "controllers/controller.h"
#include "controllers/loop.h"

namespace tenon::controllers::learning {

class Controller final : public controllers::Controller {
 public:
  Controller(Context& context, cloud::TypeReader& types);  // registers with the caches: before Cluster::start
  void start() override { loop_.start(); }
  void stop() override { loop_.stop(); }

 private:
  Result<Next> reconcile(const std::string& name, const std::stop_token& stop);

  Context& context_;
  cloud::TypeReader& types_;
  Loop loop_;
};

}  // namespace tenon::controllers::learning
