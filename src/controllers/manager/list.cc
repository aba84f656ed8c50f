// SPDX-License-Identifier: Apache-2.0
#include "controllers/manager/list.h"

#include <utility>

#include "controllers/capacity_reservations/controller.h"
#include "controllers/claim_conditions/controller.h"
#include "controllers/cluster_metrics/controller.h"
#include "controllers/consistency/controller.h"
#include "controllers/disruption/controller.h"
#include "controllers/freeze/controller.h"
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

namespace tenon::controllers {
namespace {

class List {
 public:
  template <class C, class... Args>
  void add(Args&&... args) {
    all_.push_back(std::make_unique<C>(std::forward<Args>(args)...));
  }
  template <class C, class... Args>
  void add_if(bool enabled, Args&&... args) {
    if (enabled) add<C>(std::forward<Args>(args)...);
  }
  std::vector<std::unique_ptr<Controller>> take() { return std::move(all_); }

 private:
  std::vector<std::unique_ptr<Controller>> all_;
};

// Writes of the others belong to the controller beside.
std::vector<std::unique_ptr<Controller>> make_observers(Context& deciding, cloud::Provider& cloud,
                                                        const ManagerOptions& options, metrics::Registry& registry) {
  List list;
  list.add<learning::Controller>(deciding, cloud);
  list.add<provisioning::Controller>(deciding, options.provisioning, registry);
  list.add<disruption::Controller>(deciding, options.disruption);
  list.add<watchdog::Controller>(deciding, registry);
  list.add_if<zonal_shift::Controller>(options.zonal_shift, deciding, cloud);
  return list.take();
}

}  // namespace

std::vector<std::unique_ptr<Controller>> make_controllers(Context& deciding, Context& launching, cloud::Provider& cloud,
                                                          const ManagerOptions& options, metrics::Registry& registry) {
  if (options.observe) return make_observers(deciding, cloud, options, registry);
  const scheduling::SolveOptions& solve = options.provisioning.solve;
  List list;
  list.add<freeze::Controller>(deciding);
  list.add<nodepool::Controller>(deciding);
  list.add<nodeoverlay::Controller>(deciding);
  list.add<nodeclass::Controller>(deciding, cloud);
  list.add<lifecycle::Controller>(launching, cloud, cloud);
  list.add<learning::Controller>(deciding, cloud);
  list.add<tagging::Controller>(deciding);
  list.add<termination::Controller>(deciding, cloud);
  list.add<claim_conditions::Controller>(deciding, cloud, cloud);
  list.add<provisioning::Controller>(deciding, options.provisioning, registry);
  list.add<disruption::Controller>(deciding, options.disruption);
  list.add<garbage_collection::Controller>(deciding, cloud);
  list.add<garbage_collection::ProfileCollector>(deciding);
  list.add<consistency::Controller>(deciding);
  list.add<interruption::Controller>(deciding, cloud, options.interruptions);
  list.add<watchdog::Controller>(deciding, registry);
  // parity: karpenter pkg/controllers/controllers.go, DisableClusterStateObservability
  list.add_if<status_events::Controller>(options.cluster_state_observability, deciding, registry);
  list.add_if<cluster_metrics::Controller>(options.cluster_state_observability, deciding, registry);
  list.add_if<capacity_reservations::Controller>(solve.reserved_capacity, deciding, cloud);
  list.add_if<zonal_shift::Controller>(options.zonal_shift, deciding, cloud);
  list.add_if<repair::Controller>(options.node_repair, deciding, cloud);
  list.add_if<static_pools::Controller>(options.static_capacity, deciding, solve.max_nodes);
  return list.take();
}

}  // namespace tenon::controllers
