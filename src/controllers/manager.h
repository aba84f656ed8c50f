// All controllers of one process, wired to one cluster view; started and stopped together.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "cloud/provider.h"
#include "controllers/context.h"
#include "controllers/provisioning/controller.h"
#include "disruption/disruption.h"
#include "metrics/registry.h"

namespace tenon::controllers {

struct ManagerOptions {
  provisioning::Options provisioning;
  tenon::disruption::Options disruption;
  std::function<void(const std::string& line)> decided;
  std::function<void(const std::string& controller, const std::string& key, const Error& error)> failed;
  PlantedFaults faults;
  cloud::InterruptionQueue* interruptions = nullptr;  // borrowed; null: there is none
  bool zonal_shift = false;                           // traffic may be shifted away from zones
  // Feature gates.
  bool node_overlays = false, capacity_buffers = false, node_repair = false, static_capacity = false;
  scheduling::SpreadConstraints default_spread = {};  // for pods without constraints of their own
};

class Manager {
 public:
  // None is owned; all must outlive it.
  Manager(runtime::Runtime& runtime, kube::Client& client, cloud::Provider& provider, metrics::Registry& registry,
          ManagerOptions options);
  ~Manager();  // stops

  // All return at once. warm_up() starts the informers and reads the catalog of every node class, so that a replica
  // that waits for the lease can act as soon as it has it; lead() starts the controllers once the informers have
  // listed. start(): both.
  void warm_up();
  void lead();
  void start();
  // Nothing more is decided; launches that the cloud is being asked for are awaited until they are recorded on their
  // claims. False: `deadline` or `stop` came first. Then every controller has ended; the informers go on.
  bool finish(Instant deadline, const std::stop_token& stop);
  // Asks everything to stop at once, what is in flight included, and waits for it.
  void stop();
  // What decisions need and what stands in its way, a line for each kind whose cache has not been read or is not being
  // followed, and one for the catalog. Empty: nothing does.
  std::string not_ready() const;
  bool ready() const { return not_ready().empty(); }
  state::Cluster& cluster();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace tenon::controllers
