// Metrics of the cluster's nodes, pods and NodePools, computed from the caches for each scrape, and the times of pods
// (pod_times.h). Has no thread. Removes the series of NodePools that were deleted kSeriesOutlive ago.
// Thread rule: as Controller; scrapes may come from any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "controllers/cluster_metrics/node_gauges.h"
#include "controllers/cluster_metrics/pod_gauges.h"
#include "controllers/cluster_metrics/pool_gauges.h"
#include "controllers/context.h"
#include "controllers/controller.h"

namespace tenon::controllers::cluster_metrics {

// The counters of a deleted NodePool stay for this long, so that the last scrapes and rates over an hour have them.
inline constexpr Duration kSeriesOutlive = 1h;

class Controller final : public controllers::Controller {
 public:
  Controller(Context& context, metrics::Registry& registry);  // registers with the caches: before Cluster::start
  ~Controller() override;
  void start() override {}
  void stop() override {}

 private:
  class Gauges;
  const std::shared_ptr<Gauges> gauges_;
};

}  // namespace tenon::controllers::cluster_metrics
