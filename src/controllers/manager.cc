// SPDX-License-Identifier: Apache-2.0
#include "controllers/manager.h"

#include <atomic>
#include <utility>

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
#include "controllers/watchdog/controller.h"
#include "controllers/zonal_shift/controller.h"
#include "model/unreadable.h"
#include "runtime/stop_group.h"

namespace tenon::controllers {
namespace {

constexpr Duration kSyncInterval = 100ms;    // between reads of the caches' state while they fill
constexpr Duration kCatalogInterval = 1min;  // and as soon as a node class becomes Ready
constexpr Duration kCatalogRetry = 5s;       // after AWS did not return it

// Returns what a NodePool can launch, from its node class.
// parity: NodePools that are not Ready are left out of every solve.
state::PoolTypes types_of(const model::NodePool& pool, const model::NodeClass* node_class, cloud::Provider& provider) {
  state::PoolTypes answer;
  if (!node_class) {
    answer.not_ready = "NodeClass not found on cluster";
    return answer;
  }
  if (const auto why = model::unreadable(*node_class); !why.empty()) {
    answer.not_ready = "EC2NodeClass " + node_class->meta.name + " cannot be read: " + std::string(why);
    return answer;
  }
  if (auto types = provider.known_types(*node_class)) {
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

// Reads the instance types of every node class that is Ready and not being deleted; the others cannot launch.
Status read_catalog(const state::Cluster& cluster, cloud::Provider& provider, const std::stop_token& stop) {
  for (const auto& node_class : cluster.node_classes.list()) {
    if (!node_class->ready() || node_class->meta.deleting()) continue;
    const auto types = provider.instance_types(*node_class, stop);
    if (!types && types.error().code != Code::kConflict) {
      return fail(types.error().in("instance types of EC2NodeClass " + node_class->meta.name));
    }
  }
  return ok();
}

}  // namespace

struct Manager::Parts {
  Parts(runtime::Runtime& runtime, kube::Client& client, cloud::Provider& provider, metrics::Registry& registry,
        ManagerOptions options)
      : deciding(runtime),
        launches(runtime),
        class_ready(runtime.make_event()),
        metrics(registry),
        events(runtime, client, registry, [this](const Error& error) { context.failed("events", "", error); }),
        applier(runtime, client, events,
                {.performed = [this, &runtime](const auto& action) { metrics.performed(action, runtime.now()); },
                 .evicted = [this](int status, const auto& pod) { metrics.evicted(status, pod.reason); },
                 .perhaps_created = [this](const auto& claim) { cluster.expect(claim); }}),
        cluster(runtime, client,
                {.types_of =
                     [this, &provider](const model::NodePool& pool) {
                       const auto node_class = cluster.node_classes.get(pool.node_template.node_class_ref.name);
                       return types_of(pool, node_class.get(), provider);
                     },
                 .nomination_window = provisioning::nomination_window(options.provisioning.batch_max),
                 .manages = [&provider](const model::NodeClassRef& ref) { return provider.manages(ref); },
                 .node_overlays = options.node_overlays,
                 .capacity_buffers = options.capacity_buffers,
                 .default_spread = options.default_spread,
                 .absent =
                     [this](const std::string& kind) {
                       context.decided("there is no " + kind +
                                       ": its CustomResourceDefinition is not installed; it is looked for again");
                     }}),
        context{deciding,
                cluster,
                applier,
                provider,
                metrics,
                health,
                std::move(options.decided),
                std::move(options.failed),
                options.faults},
        launching{launches, cluster,         applier,        provider,      metrics,
                  health,   context.decided, context.failed, context.faults},
        nodepools(context),
        nodeoverlays(context),
        nodeclasses(context),
        lifecycle(launching),
        learning(context),
        tagging(context),
        termination(context),
        claim_conditions(context),
        provisioner(context, options.provisioning, registry),
        disrupter(context, std::move(options.disruption)),
        collector(context),
        profile_collector(context),
        consistency(context),
        interruptions(context, options.interruptions),
        status_events(context, registry),
        watchdog(context, registry) {
    cluster.node_classes.on_change([this](const auto& change) {
      if (change.after && change.after->ready() && !(change.before && change.before->ready())) class_ready->notify();
    });
    if (options.provisioning.solve.reserved_capacity)
      reservations = std::make_unique<capacity_reservations::Controller>(context);
    if (options.zonal_shift) zonal_shifts = std::make_unique<zonal_shift::Controller>(context);
    if (options.node_repair) repair = std::make_unique<repair::Controller>(context);
    if (options.static_capacity)
      static_pools = std::make_unique<static_pools::Controller>(context, options.provisioning.solve.max_nodes);
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

  // Blocks until every cache has been listed. Returns false if stopped before.
  bool await_caches(const std::stop_token& stop) const {
    while (!cluster.caches_synced()) {
      if (context.runtime.sleep_for(kSyncInterval, stop) == runtime::Wake::kStopped) return false;
    }
    return true;
  }

  // Decisions never request the catalog from the cloud; a standby caches it just as a leader does.
  void keep_catalog_warm(const std::stop_token& stop) {
    if (!await_caches(stop)) return;
    std::string problem;
    while (!stop.stop_requested()) {
      const uint64_t seen = class_ready->version();
      const Status read = read_catalog(cluster, context.provider, stop);
      if (read) catalog_warm = true;
      cluster.types_asked();
      const std::string before = std::exchange(problem, read ? "" : read.error().message);
      if (!read && problem != before && !stop.stop_requested()) context.failed("catalog", "", read.error());
      class_ready->wait(seen, context.runtime.now() + (read ? kCatalogInterval : kCatalogRetry), stop);
    }
  }

  void stop_controllers() {
    if (starter) starter->request_stop();
    starter.reset();
    if (static_pools) static_pools->stop();
    if (repair) repair->stop();
    if (zonal_shifts) zonal_shifts->stop();
    status_events.stop();
    interruptions.stop();
    consistency.stop();
    profile_collector.stop();
    collector.stop();
    disrupter.stop();
    provisioner.stop();
    claim_conditions.stop();
    termination.stop();
    tagging.stop();
    learning.stop();
    lifecycle.stop();
    nodeclasses.stop();
    nodeoverlays.stop();
    nodepools.stop();
    events.stop();  // last: events that the controllers recorded are still written
  }

  std::atomic<bool> catalog_warm = false;
  runtime::StopGroup deciding, launches;  // the threads of the controllers
  const std::unique_ptr<runtime::Event> class_ready;
  Metrics metrics;
  RegistrationHealth health;
  kube::EventRecorder events;
  Applier applier;
  state::Cluster cluster;
  Context context, launching;
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
  watchdog::Controller watchdog;
  // Null without their feature gates or options.
  std::unique_ptr<capacity_reservations::Controller> reservations;
  std::unique_ptr<zonal_shift::Controller> zonal_shifts;
  std::unique_ptr<repair::Controller> repair;
  std::unique_ptr<static_pools::Controller> static_pools;
  std::unique_ptr<runtime::Task> starter, warmer;
};

Manager::Manager(runtime::Runtime& runtime, kube::Client& client, cloud::Provider& provider,
                 metrics::Registry& registry, ManagerOptions options) {
  if (!options.decided) options.decided = [](const std::string&) {};
  if (!options.failed) options.failed = [](const std::string&, const std::string&, const Error&) {};
  parts_ = std::make_unique<Parts>(runtime, client, provider, registry, std::move(options));
}

Manager::~Manager() { stop(); }

void Manager::start() {
  warm_up();
  lead();
}

void Manager::warm_up() {
  Parts& p = *parts_;
  p.cluster.start();
  p.watchdog.start();
  p.warmer = p.context.runtime.spawn("catalog", [&p](const std::stop_token& stop) { p.keep_catalog_warm(stop); });
}

// The controllers start when every cache has been listed, so that no decision is made on partial data.
void Manager::lead() {
  Parts& p = *parts_;
  p.starter = p.context.runtime.spawn("starter", [&p](const std::stop_token& stop) {
    if (p.await_caches(stop)) p.start_controllers();
  });
}

bool Manager::finish(Instant deadline, const std::stop_token& stop) {
  Parts& p = *parts_;
  p.lifecycle.launch_no_more();
  p.deciding.request_stop();
  const bool recorded = p.lifecycle.await_launches(deadline, stop);
  p.stop_controllers();
  return recorded;
}

void Manager::stop() {
  Parts& p = *parts_;
  p.deciding.request_stop();
  p.launches.request_stop();
  p.warmer.reset();
  p.watchdog.stop();
  p.stop_controllers();
  p.cluster.stop();
}

std::string Manager::not_ready() const {
  std::string why;
  for (const state::Obstacle& one : parts_->cluster.cache_obstacles())
    why += (why.empty() ? "" : "\n") + one.kind + ": " + one.what;
  if (why.empty() && !parts_->catalog_warm) why = "the types that can be launched have not been read yet";
  return why;
}

state::Cluster& Manager::cluster() { return parts_->cluster; }

}  // namespace tenon::controllers
