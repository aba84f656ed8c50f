// Reports changes of conditions on NodeClaims, NodePools, Nodes and NodeClasses as events (decide.h) and metrics
// (metrics.h).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>

#include "controllers/context.h"
#include "controllers/controller.h"
#include "controllers/loop.h"
#include "controllers/status_events/metrics.h"

namespace tenon::controllers::status_events {

class Controller final : public controllers::Controller {
 public:
  Controller(Context& context, metrics::Registry& registry);  // registers with the caches: before Cluster::start
  void start() override { loop_.start(); }
  void stop() override { loop_.stop(); }

  ~Controller() override;

 private:
  template <class Cache>
  void watch(Cache& cache);
  void emit(const std::string& key, plan::Plan plan);
  Result<Next> reconcile(const std::string& key, const std::stop_token& stop);

  Context& context_;
  const std::shared_ptr<StatusMetrics> metrics_;
  std::mutex mutex_;
  std::map<std::string, plan::Plan> unreported_;  // events not written yet, by kind and name
  Loop loop_;
};

}  // namespace tenon::controllers::status_events
