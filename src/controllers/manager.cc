// SPDX-License-Identifier: Apache-2.0
#include "controllers/manager.h"

#include <atomic>

#include "controllers/capacity_reservations/controller.h"
#include "controllers/claim_conditions/controller.h"
#include "controllers/consistency/controller.h"
#include "controllers/disruption/controller.h"
#include "controllers/garbage_collection/controller.h"
#include "controllers/garbage_collection/profiles.h"
#include "controllers/interruption/controller.h"
#include "controllers/learning/controller.h"
#include "controllers/lifecycle/controller.h"
#include "controllers/nodeclass/controller.h"
#include "controllers/nodeoverlay/controller.h"
#include "controllers/nodepool/controller.h"
#include "controllers/repair/controller.h"
#include "controllers/static_pools/controller.h"
#include "controllers/status_events/controller.h"
#include "controllers/tagging/controller.h"
#include "controllers/termination/controller.h"
#include "controllers/zonal_shift/controller.h"

namespace tenon::controllers {
namespace {

constexpr Duration kSyncInterval = 100ms;  // between looks at the caches while they fill

// What a NodePool can launch, from its node class; parity: NodePools that are not Ready are left out of every solve.
state::PoolTypes types_of(const model::NodePool& pool, const model::NodeClass* node_class, cloud::Provider& provider) {
  state::PoolTypes answer;
  if (!node_class) {
    answer.not_ready = "NodeClass not found on cluster";
    return answer;
  }
  if (auto types = provider.instance_types(*node_class, {})) {
    answer.types = *types;
  } else {
    answer.not_ready = types.error().message;
  }
  if (!pool.ready()) {
    const auto* ready = model::find_condition(pool.conditions, "Ready");
    answer.not_ready = ready && !ready->message.empty() ? ready->message : "NodePool is not ready";
  }
  return answer;
}

}  // namespace

struct Manager::Parts {
  Parts(runtime::Runtime& runtime, kube::Client& client, cloud::Provider& provider, metrics::Registry& registry,
        ManagerOptions options)
      : metrics(registry),
        events(runtime, client, registry, [this](const Error& error) { context.failed("events", "", error); }),
        applier(client, events,
                {.performed = [this, &runtime](const auto& action) { metrics.performed(action, runtime.now()); },
                 .evicted = [this](int status, const auto& pod) { metrics.evicted(status, pod.reason); }}),
        cluster(runtime, client,
                {.types_of =
                     [this, &provider](const model::NodePool& pool) {
                       const auto node_class = cluster.node_classes.get(pool.node_template.node_class_ref.name);
                       return types_of(pool, node_class.get(), provider);
                     },
                 .node_overlays = options.node_overlays,
                 .capacity_buffers = options.capacity_buffers,
                 .absent =
                     [this](const std::string& kind) {
                       context.decided("there is no " + kind +
                                       ": its CustomResourceDefinition is not installed; it is looked for again");
                     }}),
        context{runtime,
                cluster,
                applier,
                provider,
                metrics,
                health,
                std::move(options.decided),
                std::move(options.failed),
                options.faults},
        nodepools(context),
        nodeoverlays(context),
        nodeclasses(context),
        lifecycle(context),
        learning(context),
        tagging(context),
        termination(context),
        claim_conditions(context),
        provisioner(context, std::move(options.provisioning), registry),
        disrupter(context, std::move(options.disruption)),
        collector(context),
        profile_collector(context),
        consistency(context),
        interruptions(context, options.interruptions),
        status_events(context, registry) {
    if (options.provisioning.solve.reserved_capacity)
      reservations = std::make_unique<capacity_reservations::Controller>(context);
    if (options.zonal_shift) zonal_shifts = std::make_unique<zonal_shift::Controller>(context);
    if (options.node_repair) repair = std::make_unique<repair::Controller>(context);
    if (options.static_capacity) static_pools = std::make_unique<static_pools::Controller>(context);
  }

  void start_controllers() {
    events.start();
    nodepools.start();
    nodeoverlays.start();
    nodeclasses.start();
    lifecycle.start();
    learning.start();
    tagging.start();
    termination.start();
    claim_conditions.start();
    provisioner.start();
    disrupter.start();
    collector.start();
    profile_collector.start();
    consistency.start();
    interruptions.start();
    status_events.start();
    if (reservations) reservations->start();
    if (zonal_shifts) zonal_shifts->start();
    if (repair) repair->start();
    if (static_pools) static_pools->start();
  }

  std::atomic<bool> started = false;
  Metrics metrics;
  RegistrationHealth health;
  kube::EventRecorder events;
  Applier applier;
  state::Cluster cluster;
  Context context;
  nodepool::Controller nodepools;
  nodeoverlay::Controller nodeoverlays;
  nodeclass::Controller nodeclasses;
  lifecycle::Controller lifecycle;
  learning::Controller learning;
  tagging::Controller tagging;
  termination::Controller termination;
  claim_conditions::Controller claim_conditions;
  provisioning::Controller provisioner;
  disruption::Controller disrupter;
  garbage_collection::Controller collector;
  garbage_collection::ProfileCollector profile_collector;
  consistency::Controller consistency;
  interruption::Controller interruptions;
  status_events::Controller status_events;
  // Null without their feature gates or options.
  std::unique_ptr<capacity_reservations::Controller> reservations;
  std::unique_ptr<zonal_shift::Controller> zonal_shifts;
  std::unique_ptr<repair::Controller> repair;
  std::unique_ptr<static_pools::Controller> static_pools;
  std::unique_ptr<runtime::Task> starter;
};

Manager::Manager(runtime::Runtime& runtime, kube::Client& client, cloud::Provider& provider,
                 metrics::Registry& registry, ManagerOptions options) {
  if (!options.decided) options.decided = [](const std::string&) {};
  if (!options.failed) options.failed = [](const std::string&, const std::string&, const Error&) {};
  parts_ = std::make_unique<Parts>(runtime, client, provider, registry, std::move(options));
}

Manager::~Manager() { stop(); }

// Nobody decides on half a picture: the controllers start when every cache has been listed.
void Manager::start() {
  Parts& p = *parts_;
  p.cluster.start();
  p.started = true;
  p.starter = p.context.runtime.spawn("starter", [&p](const std::stop_token& stop) {
    while (!p.cluster.caches_synced()) {
      if (p.context.runtime.sleep_for(kSyncInterval, stop) == runtime::Wake::kStopped) return;
    }
    p.start_controllers();
  });
}

void Manager::stop() {
  Parts& p = *parts_;
  if (p.starter) p.starter->request_stop();
  p.starter.reset();
  if (p.static_pools) p.static_pools->stop();
  if (p.repair) p.repair->stop();
  if (p.zonal_shifts) p.zonal_shifts->stop();
  p.status_events.stop();
  p.interruptions.stop();
  p.consistency.stop();
  p.profile_collector.stop();
  p.collector.stop();
  p.disrupter.stop();
  p.provisioner.stop();
  p.claim_conditions.stop();
  p.termination.stop();
  p.tagging.stop();
  p.learning.stop();
  p.lifecycle.stop();
  p.nodeclasses.stop();
  p.nodeoverlays.stop();
  p.nodepools.stop();
  p.events.stop();  // last: what the controllers recorded is still written
  p.cluster.stop();
}

bool Manager::ready() const { return !parts_->started || parts_->cluster.caches_synced(); }

state::Cluster& Manager::cluster() { return parts_->cluster; }

}  // namespace tenon::controllers
