// SPDX-License-Identifier: Apache-2.0
#include "controllers/manager/manager.h"

#include <atomic>
#include <utility>

#include "controllers/apply/applier.h"
#include "controllers/apply/observer.h"
#include "controllers/manager/list.h"
#include "model/generations.h"
#include "model/kwok.h"
#include "model/unreadable.h"
#include "runtime/stop_group.h"

namespace tenon::controllers {
namespace {

constexpr Duration kSyncInterval = 100ms;    // between reads of the caches' state while they fill
constexpr Duration kCatalogInterval = 1min;  // and as soon as a node class becomes Ready
constexpr Duration kCatalogRetry = 5s;       // after AWS did not return it

std::string described(const model::NodeClass& node_class) {
  const std::string& key = node_class.meta.name;
  if (!model::is_kwok_class(key)) return "EC2NodeClass " + key;
  return std::string(model::kKwokClassKind) + " " + std::string(model::object_name(key));
}

// Returns what a NodePool can launch, from its node class.
// parity: NodePools that are not Ready are left out of every solve.
state::PoolTypes types_of(const model::NodePool& pool, const model::NodeClass* node_class, cloud::TypeReader& catalog) {
  state::PoolTypes answer;
  if (!node_class) {
    answer.not_ready = "NodeClass not found on cluster";
    return answer;
  }
  if (const auto why = model::unreadable(*node_class); !why.empty()) {
    answer.not_ready = described(*node_class) + " cannot be read: " + std::string(why);
    return answer;
  }
  if (auto types = catalog.known_types(*node_class)) {
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
Status read_catalog(const state::Cluster& cluster, cloud::TypeReader& catalog, const std::stop_token& stop) {
  for (const auto& node_class : cluster.node_classes.list()) {
    if (!node_class->ready() || node_class->meta.deleting()) continue;
    const auto types = catalog.instance_types(*node_class, stop);
    if (!types && types.error().code != Code::kConflict) {
      return fail(types.error().in("instance types of " + described(*node_class)));
    }
  }
  return ok();
}

}  // namespace

struct Manager::Parts {
  Parts(runtime::Runtime& runtime, kube::Client& client, cloud::Provider& provider, metrics::Registry& registry,
        ManagerOptions options)
      : kube(client),
        catalog(provider),
        listed(options.observe ? &provider : nullptr),
        deciding(runtime),
        launches(runtime),
        class_ready(runtime.make_event()),
        metrics(registry),
        events(runtime, client, registry, [this](const Error& error) { context.log.failure("events", "", error); }),
        ledger(runtime, provisioning::nomination_window(options.provisioning.batch_max)),
        freeze(runtime, client, options.settings_namespace),
        gate({runtime, cluster, freeze, provider, provider}, options.caps),
        applier({runtime, client, events, provider, ledger, options.log, &gate},
                {.performed = [this, &runtime](const auto& action) { metrics.performed(action, runtime.now()); },
                 .evicted = [this](int status, const auto& pod) { metrics.evicted(status, pod.reason); },
                 .rejected = [this](const auto& violation) { metrics.rejected(violation.invariant); },
                 .held = [this](const auto& hold) { metrics.launches_held.add({{"by", hold.by}}); }},
                {.abort_on_violation = options.abort_on_violation}),
        observer(options.observe ? std::make_unique<Observer>(Observer::Services{runtime, events, ledger, options.log},
                                                              options.observe->ns, options.observe->lease)
                                 : nullptr),
        wrapper(options.wrap_executor ? options.wrap_executor(own_executor()) : nullptr),
        executor(wrapper ? *wrapper : own_executor()),
        cluster(runtime, client, ledger,
                {.types_of =
                     [this, &provider](const model::NodePool& pool) {
                       const auto node_class = cluster.node_class_of(pool);
                       return types_of(pool, node_class.get(), provider);
                     },
                 .manages = [&provider](const model::NodeClassRef& ref) { return provider.manages(ref); },
                 .node_overlays = options.node_overlays,
                 .capacity_buffers = options.capacity_buffers,
                 .provisioners = options.provisioners,
                 .settings_namespace = options.settings_namespace,
                 .default_spread = options.default_spread,
                 .absent =
                     [this](const std::string& kind) {
                       context.log.info("there is no " + kind +
                                        ": its CustomResourceDefinition is not installed; it is looked for again");
                     }}),
        context{deciding, cluster, ledger, executor, metrics, health, options.log, watched_freeze()},
        launching{launches, cluster, ledger, executor, metrics, health, options.log, watched_freeze()},
        controllers(make_controllers(context, launching, provider, options, registry)) {
    cluster.node_classes.on_change([this](const auto& change) {
      const bool ready = change.after && change.after->ready() && !(change.before && change.before->ready());
      if (ready || cluster.needs_kubernetes_version()) class_ready->notify();
    });
  }

  Executor& own_executor() {
    if (observer) return *observer;
    return applier;
  }

  // An observer performs nothing that could be stopped.
  const state::FreezeWatch* watched_freeze() const { return observer ? nullptr : &freeze; }
  state::FreezeWatch* watched_freeze() { return observer ? nullptr : &freeze; }

  void start_controllers() {
    events.start();
    for (const auto& controller : controllers) {
      if (!controller->runs_on_standby()) controller->start();
    }
  }

  // Blocks until every cache has been listed. Returns false if stopped before.
  bool await_caches(const std::stop_token& stop) const {
    while (!cluster.caches_synced() || (watched_freeze() && !watched_freeze()->synced())) {
      if (context.runtime.sleep_for(kSyncInterval, stop) == runtime::Wake::kStopped) return false;
    }
    return true;
  }

  // Reads what decisions depend on. Running instances use commitments; an observer has no garbage collection, which
  // lists them otherwise.
  Status read_cloud(const std::stop_token& stop) {
    TRY(read_catalog(cluster, catalog, stop));
    if (listed) TRY_IN("instances", listed->list(stop));
    return ok();
  }

  // Decisions never request the catalog from the cloud; a standby caches it just as a leader does.
  void keep_catalog_warm(const std::stop_token& stop) {
    if (!await_caches(stop)) return;
    std::string problem;
    while (!stop.stop_requested()) {
      const uint64_t seen = class_ready->version();
      if (cluster.needs_kubernetes_version()) {
        if (const auto version = kube.server_version(stop)) cluster.set_kubernetes_version(*version);
      }
      const Status read = read_cloud(stop);
      if (read) catalog_warm = true;
      cluster.types_asked();
      const std::string before = std::exchange(problem, read ? "" : read.error().message);
      if (!read && problem != before && !stop.stop_requested()) context.log.failure("catalog", "", read.error());
      class_ready->wait(
          seen,
          context.runtime.now() + (read && !cluster.needs_kubernetes_version() ? kCatalogInterval : kCatalogRetry),
          stop);
    }
  }

  void stop_controllers() {
    if (starter) starter->request_stop();
    starter.reset();
    for (auto it = controllers.rbegin(); it != controllers.rend(); ++it) {
      if (!(*it)->runs_on_standby()) (*it)->stop();
    }
    events.stop();  // last: events that the controllers recorded are still written
  }

  void start_standbys() {
    for (const auto& controller : controllers) {
      if (controller->runs_on_standby()) controller->start();
    }
  }
  void stop_standbys() {
    for (const auto& controller : controllers) {
      if (controller->runs_on_standby()) controller->stop();
    }
  }

  kube::Client& kube;
  cloud::TypeReader& catalog;
  cloud::InstanceReader* const listed;  // null: garbage collection lists the instances
  std::atomic<bool> catalog_warm = false;
  runtime::StopGroup deciding, launches;  // the threads of the controllers
  const std::unique_ptr<runtime::Event> class_ready;
  Metrics metrics;
  RegistrationHealth health;
  kube::EventRecorder events;
  state::Ledger ledger;
  state::FreezeWatch freeze;
  LaunchGate gate;
  Applier applier;
  const std::unique_ptr<Observer> observer;  // null: plans are performed
  const std::unique_ptr<Executor> wrapper;   // null: none
  Executor& executor;
  state::Cluster cluster;
  Context context, launching;
  const std::vector<std::unique_ptr<Controller>> controllers;
  std::unique_ptr<runtime::Task> starter, warmer;
};

Manager::Manager(runtime::Runtime& runtime, kube::Client& client, cloud::Provider& provider,
                 metrics::Registry& registry, ManagerOptions options) {
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
  if (p.watched_freeze()) p.freeze.start();
  p.start_standbys();
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
  for (const auto& controller : p.controllers) controller->wind_down();
  p.deciding.request_stop();
  bool recorded = true;
  for (const auto& controller : p.controllers) recorded = controller->await_recorded(deadline, stop) && recorded;
  p.stop_controllers();
  return recorded;
}

void Manager::stop() {
  Parts& p = *parts_;
  p.deciding.request_stop();
  p.launches.request_stop();
  p.warmer.reset();
  p.stop_standbys();
  p.stop_controllers();
  if (p.watched_freeze()) p.freeze.stop();
  p.cluster.stop();
}

std::string Manager::not_ready() const {
  std::string why;
  for (const state::Obstacle& one : parts_->cluster.cache_obstacles())
    why += (why.empty() ? "" : "\n") + one.kind + ": " + one.what;
  const std::string freeze = parts_->watched_freeze() ? parts_->freeze.not_ready() : "";
  if (!freeze.empty()) why += (why.empty() ? "" : "\n") + freeze;
  if (why.empty() && !parts_->catalog_warm) why = "the types that can be launched have not been read yet";
  return why;
}

state::Cluster& Manager::cluster() { return parts_->cluster; }

}  // namespace tenon::controllers
