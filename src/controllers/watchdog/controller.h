// Reports what keeps the caches and the cluster's state incomplete, and objects that cannot be read: by log lines,
// Warning events on the objects and metrics. Runs from the start, before the caches are full.
// parity: karpenter pkg/controllers/state/cluster.go (the log line and the first two metrics)
// Thread rule: start() and stop() from one thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "controllers/context.h"
#include "controllers/controller.h"
#include "metrics/registry.h"

namespace tenon::controllers::watchdog {

inline constexpr Duration kReportInterval = 30s;  // between log lines about a lasting obstacle
inline constexpr Duration kTolerated = 30s;       // an obstacle that lasts longer is logged
inline constexpr size_t kMaxLines = 10;           // in one report; the rest is counted
inline constexpr size_t kMaxUnreported = 1000;    // unreadable objects that await their event; more are only counted

// Returns the lines of one report: obstacles that have lasted longer than kTolerated, oldest first. Pure.
std::vector<std::string> report(std::vector<state::Obstacle> obstacles, Instant now);

class Controller final : public controllers::Controller {
 public:
  Controller(Context& context, metrics::Registry& registry);  // registers with the caches: before Cluster::start
  ~Controller() override;
  void start() override;
  void stop() override;
  bool runs_on_standby() const override { return true; }

 private:
  class Gauges;
  void run(const std::stop_token& stop);
  void report_unreadable(const std::stop_token& stop);

  Context& context_;
  metrics::Counter& unreadable_total_;
  const std::shared_ptr<Gauges> gauges_;
  const std::unique_ptr<runtime::Event> news_;
  std::mutex mutex_;
  std::vector<kube::Unreadable> unreported_;  // at most kMaxUnreported
  std::unique_ptr<runtime::Task> loop_;
};

}  // namespace tenon::controllers::watchdog
