// All controllers of one process, wired to one cluster view; started and stopped together.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "cloud/provider.h"
#include "controllers/context.h"
#include "controllers/provisioning/controller.h"
#include "disruption/disruption.h"
#include "log/log.h"
#include "metrics/registry.h"

namespace tenon::controllers {

// The namespace of the events and the name of the lease of a process that only observes (controllers/apply/observer.h).
struct ObserveOptions {
  std::string ns, lease;
};

struct ManagerOptions {
  provisioning::Options provisioning;
  tenon::disruption::Options disruption;
  tenon::log::Logger log;
  // For simulations: as Applier::Options, and a wrapper of the executor that injects faults; empty: none.
  bool abort_on_violation = false;
  std::function<std::unique_ptr<Executor>(Executor& inner)> wrap_executor = {};
  cloud::InterruptionQueue* interruptions = nullptr;  // borrowed; null: no queue
  bool zonal_shift = false;                           // zonal shifts are observed
  // Feature gates.
  bool node_overlays = false, capacity_buffers = false, node_repair = false, static_capacity = false,
       provisioners = false;
  // True: the manager exports metrics of nodes, pods, NodePools and conditions, and emits events of conditions.
  bool cluster_state_observability = true;
  // Holds the ConfigMap tenon-freeze and the objects that ClusterOptions::settings_namespace names.
  std::string settings_namespace = "karpenter";
  state::Caps caps;                                   // on launches
  scheduling::SpreadConstraints default_spread = {};  // for pods without constraints of their own
  // Set: decisions are reported, not performed. Only the controllers run that decide about launches and disruption, and
  // those that observe what the decisions depend on.
  std::optional<ObserveOptions> observe = std::nullopt;
};

class Manager {
 public:
  // Borrows its arguments; all must outlive it.
  Manager(runtime::Runtime& runtime, kube::Client& client, cloud::Provider& provider, metrics::Registry& registry,
          ManagerOptions options);
  ~Manager();  // stops

  // The next three return at once. warm_up() starts the informers and reads the catalog of every ready node class, so
  // that a replica that waits for the lease can act as soon as it holds it. lead() starts the controllers once the
  // informers have listed. start() does both.
  void warm_up();
  void lead();
  void start();
  // Ends all decisions, and waits until launches in flight are recorded on their claims. Returns false if `deadline` or
  // `stop` came first. In both cases every controller has ended; the informers still run.
  bool finish(Instant deadline, const std::stop_token& stop);
  // Stops everything at once, including requests in flight, and waits for it.
  void stop();
  // Returns what keeps decisions from being made: a line for each kind whose cache has not been listed or is not being
  // followed, and one for the catalog. Empty: ready.
  std::string not_ready() const;
  bool ready() const { return not_ready().empty(); }
  state::Cluster& cluster();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace tenon::controllers
