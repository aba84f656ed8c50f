// Drains Nodes that are being deleted and terminates their instances; see decide.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>

#include "cloud/instance_reader.h"
#include "controllers/context.h"
#include "controllers/controller.h"
#include "controllers/loop.h"
#include "controllers/termination/decide.h"
#include "runtime/backoff.h"

namespace tenon::controllers::termination {

// After a failed eviction; doubles. parity: eviction-queue
inline constexpr Duration kFirstBackOff = 100ms;
inline constexpr Duration kMostBackOff = 10s;

class Controller final : public controllers::Controller {
 public:
  Controller(Context& context, cloud::InstanceReader& instances);  // registers with the caches: before Cluster::start
  void start() override { loop_.start(); }
  void stop() override { loop_.stop(); }

 private:
  Result<Next> reconcile(const std::string& name, const std::stop_token& stop);
  void add_volumes(View& view) const;
  void note_evictions(const Outcome& outcome, Instant now);

  struct BackOff {
    Instant until{};
    runtime::Backoff pauses{{.first = kFirstBackOff, .max = kMostBackOff}};  // after failed evictions
  };
  Context& context_;
  cloud::InstanceReader& instances_;
  std::mutex mutex_;
  std::map<std::string, BackOff> refused_;  // evictions to hold back for now, by pod uid; dropped once old
  Loop loop_;
};

}  // namespace tenon::controllers::termination
