// Tags instances with the names that did not exist at their launch: those of their Node and their NodeClaim. Existing
// tags stay as they are; two annotations mark a claim whose instance is tagged completely.
// parity: nodeclaim.tagging
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "controllers/context.h"
#include "controllers/controller.h"
#include "controllers/loop.h"
#include "runtime/token_bucket.h"

namespace tenon::controllers::tagging {

// Between two write calls: EC2 counts them against the same limit as launches.
inline constexpr Duration kWriteInterval = 1s;

// True if the instance has a Node and may not carry the Node's name yet. Pure.
bool is_due(const model::NodeClaim& claim);
// Tags the instance of a claim that is due, then marks the claim. Pure.
plan::Plan decide(const model::NodeClaim& claim);

class Controller final : public controllers::Controller {
 public:
  explicit Controller(Context& context);  // registers with the caches: before Cluster::start
  void start() override { loop_.start(); }
  void stop() override { loop_.stop(); }

 private:
  Result<Next> reconcile(const std::string& name, const std::stop_token& stop);

  Context& context_;
  runtime::TokenBucket writes_{kWriteInterval};  // used only by the one worker
  Loop loop_;
};

}  // namespace tenon::controllers::tagging
