// Drains Nodes that are being deleted and terminates their instances; see decide.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>

#include "controllers/context.h"
#include "controllers/loop.h"
#include "controllers/termination/decide.h"

namespace tenon::controllers::termination {

class Controller {
 public:
  explicit Controller(Context& context);  // registers with the caches: before Cluster::start
  void start() { loop_.start(); }
  void stop() { loop_.stop(); }

 private:
  Result<Next> reconcile(const std::string& name, const std::stop_token& stop);
  void add_volumes(View& view) const;
  void note_evictions(const Outcome& outcome, Instant now);

  struct BackOff {
    Instant until{};
    Duration delay{};  // of the last failed eviction
  };
  Context& context_;
  std::mutex mutex_;
  std::map<std::string, BackOff> refused_;  // evictions to hold back for now, by pod uid; dropped once old
  Loop loop_;
};

}  // namespace tenon::controllers::termination
