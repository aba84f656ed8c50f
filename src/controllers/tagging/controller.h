// Tags instances with the names that did not exist at their launch: those of their Node and their NodeClaim. Existing
// tags stay as they are; two annotations mark a claim whose instance is tagged completely.
// parity: nodeclaim.tagging
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "controllers/context.h"
#include "controllers/loop.h"

namespace tenon::controllers::tagging {

// Between two write calls: EC2 counts them against the same limit as launches.
inline constexpr Duration kWriteInterval = 1s;

// True if the instance has a Node and may not carry the Node's name yet. Pure.
bool is_due(const model::NodeClaim& claim);

class Controller {
 public:
  explicit Controller(Context& context);  // registers with the caches: before Cluster::start
  void start() { loop_.start(); }
  void stop() { loop_.stop(); }

 private:
  Result<Next> reconcile(const std::string& name, const std::stop_token& stop);

  Context& context_;
  Instant next_write_{};  // used only by the one worker
  Loop loop_;
};

}  // namespace tenon::controllers::tagging
