// Gives instances the names that nobody knew when they were bought: those of their Node and their NodeClaim. Tags that
// are there stay as they are; two annotations say that a claim's instance needs nothing more.
// parity: nodeclaim.tagging
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "controllers/context.h"
#include "controllers/loop.h"

namespace tenon::controllers::tagging {

// Between two calls that write: EC2 counts them against the same limit as launches.
inline constexpr Duration kWriteInterval = 1s;

// The instance has a Node whose name it may not carry yet. Pure.
bool is_due(const model::NodeClaim& claim);

class Controller {
 public:
  explicit Controller(Context& context);  // registers with the caches: before Cluster::start
  void start() { loop_.start(); }
  void stop() { loop_.stop(); }

 private:
  Result<Next> reconcile(const std::string& name, const std::stop_token& stop);

  Context& context_;
  Instant next_write_{};  // touched by the only worker
  Loop loop_;
};

}  // namespace tenon::controllers::tagging
