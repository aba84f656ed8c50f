// SPDX-License-Identifier: Apache-2.0
#include "controllers/cluster_metrics/controller.h"

#include <utility>

namespace tenon::controllers::cluster_metrics {

class Controller::Gauges : public metrics::Collector {
 public:
  Gauges(Context& context, metrics::Registry& registry)
      : context_(&context), registry_(registry), nodes_(registry), pods_(registry), pools_(registry) {}

  void detach() {
    const std::lock_guard lock(mutex_);
    context_ = nullptr;
  }

  void before_text() override {
    const std::lock_guard lock(mutex_);
    if (!context_) return;
    const Instant now = context_->runtime.now();
    auto nodes = context_->cluster.node_views();
    std::erase_if(nodes, [&](const auto& view) { return view.node && context_->cluster.foreign(*view.node); });
    const Groups groups(nodes);
    nodes_.show(nodes, groups, now);
    pods_.show(context_->cluster.pods.list(), nodes, groups);
    std::map<std::string, std::string> refused;
    pools_.show(context_->cluster.pool_views(refused), nodes);
    context_->metrics.pod_times.show(now);
    remove_deleted_pools(now);
  }

  void after_text() override {
    const std::lock_guard lock(mutex_);
    nodes_.hide();
    pods_.hide();
    pools_.hide();
    if (context_) context_->metrics.pod_times.hide();
  }

  void pool_changed(const std::string& name, bool exists, Instant now) {
    const std::lock_guard lock(mutex_);
    if (exists) {
      deleted_.erase(name);
    } else {
      deleted_[name] = now;
    }
  }

 private:
  void remove_deleted_pools(Instant now) {
    std::erase_if(deleted_, [&](const auto& entry) {
      if (now - entry.second < kSeriesOutlive) return false;
      for (const char* label : {"nodepool", "karpenter_sh_nodepool", "provisioner"})
        registry_.remove_series(label, entry.first);
      return true;
    });
  }

  std::mutex mutex_;
  Context* context_;  // null: detached
  metrics::Registry& registry_;
  NodeGauges nodes_;
  PodGauges pods_;
  PoolGauges pools_;
  std::map<std::string, Instant> deleted_;  // NodePools, with the time of their end
};

Controller::Controller(Context& context, metrics::Registry& registry)
    : gauges_(std::make_shared<Gauges>(context, registry)) {
  registry.add(gauges_);
  context.cluster.pods.on_change([&context](const auto& change) {
    context.metrics.pod_times.changed(change.key, change.after.get(), context.runtime.now());
  });
  context.cluster.pools.on_change([&context, gauges = gauges_](const auto& change) {
    gauges->pool_changed(change.key, change.after != nullptr, context.runtime.now());
  });
}

Controller::~Controller() { gauges_->detach(); }

}  // namespace tenon::controllers::cluster_metrics
