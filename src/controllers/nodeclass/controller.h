// Keeps the EC2NodeClass status (what its selectors resolve to, whether it can launch), its hash and its finalizer.
// parity: karpenter-provider-aws pkg/controllers/nodeclass
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cloud/node_class_reader.h"
#include "controllers/context.h"
#include "controllers/controller.h"
#include "controllers/loop.h"
#include "controllers/nodeclass/stamps.h"

namespace tenon::controllers::nodeclass {

class Controller final : public controllers::Controller {
 public:
  Controller(Context& context, cloud::NodeClassReader& classes);  // registers with the caches: before Cluster::start
  void start() override { loop_.start(); }
  void stop() override { loop_.stop(); }

 private:
  Result<Next> reconcile(const std::string& name, const std::stop_token& stop);
  // Stamps claims of the class (stamps.h) for some seconds. Returns false if none needs it.
  bool stamp_claims(const ClassHash& hash, const std::stop_token& stop);
  Result<Next> end(const model::NodeClass& node_class, const std::stop_token& stop);
  Result<Next> clean_up_inline(const std::string& name, const std::stop_token& stop);
  Result<std::vector<std::string>> claims_of(const std::string& node_class, const std::stop_token& stop) const;

  Context& context_;
  cloud::NodeClassReader& classes_;
  Loop loop_;
};

}  // namespace tenon::controllers::nodeclass
