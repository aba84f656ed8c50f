// SPDX-License-Identifier: Apache-2.0
#include "kubesim/workloads/workloads.h"

#include <algorithm>
#include <vector>

namespace tenon::kubesim {

class Workloads::Actor {
 public:
  Actor(runtime::Runtime& runtime, Api& api, WorkloadOptions options)
      : options_(std::move(options)), view_(runtime, api), cluster_{runtime, api, view_, options_} {
    for (const auto make : {make_deployment_controller, make_replica_set_controller, make_daemon_set_controller,
                            make_stateful_set_controller, make_job_controller, make_budget_controller,
                            make_node_lifecycle_controller, make_pod_collector, make_volume_binder})
      controllers_.push_back(make(cluster_));
  }

  void run(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      const uint64_t seen = view_.inbox().version();
      view_.update([&](const Resource& resource, const Object& before, const Object& after) {
        for (const auto& controller : controllers_) controller->observe(resource, before, after);
      });
      bool worked = false;
      Instant next = kNever;
      for (const auto& controller : controllers_) worked = controller->work() || worked;
      if (worked) continue;  // their writes cause new events
      for (const auto& controller : controllers_) next = std::min(next, controller->next_due());
      if (view_.inbox().wait(seen, next, stop) == runtime::Wake::kStopped) return;
    }
  }

 private:
  const WorkloadOptions options_;
  View view_;
  Cluster cluster_;
  std::vector<std::unique_ptr<Controller>> controllers_;
};

Workloads::Workloads(runtime::Runtime& runtime, Api& api, WorkloadOptions options)
    : actor_(std::make_unique<Actor>(runtime, api, std::move(options))),
      task_(runtime.spawn("controller-manager", [this](const std::stop_token& stop) { actor_->run(stop); })) {}

Workloads::~Workloads() { task_.reset(); }

}  // namespace tenon::kubesim
