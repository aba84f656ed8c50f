// A cluster in virtual time that a test scales and observes: one NodePool over a few instance types, one Deployment of
// equal pods. Because the pods are equal, plain arithmetic gives the optimum (best.h).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/demo/sim_process.h"
#include "cli/demo/world.h"
#include "simulation/tampered_wire.h"

namespace tenon::simulation {

struct LifeOptions {
  uint64_t seed = 1;
  std::vector<std::string> types;  // that the NodePool allows
  std::string capacity_type = "on-demand";
  std::string budget = "100%";
  std::string consolidate_after = "30s";
  int64_t pod_millicores = 0, pod_mib = 0;
  int grace_seconds = 0;            // of a pod
  std::string pod_rules = {};       // more of its spec: a line of YAML
  Duration shutting_down_for = 1s;  // an instance
  cli::Decisions decisions = cli::default_decisions();
  bool optional_crds = false;  // NodeOverlay and CapacityBuffer are installed
  bool leader_election = false;
  std::string interruption_queue = {};   // that the controllers read; empty: none
  Tamper kube_wire = {}, aws_wire = {};  // empty: nothing is on the wire
  bool observer = false;                 // one more process, which only observes (--observe)
  std::function<std::unique_ptr<http::Transport>(std::unique_ptr<http::Transport>)> observer_wire = {};
  // Replaces kube_wire if streams are tampered with as well.
  std::function<std::unique_ptr<http::Transport>(std::unique_ptr<http::Transport>)> kube_transport = {};
};

struct LiveNode {
  std::string name, type, zone;
  int pods = 0;
  bool usable = false;
};

// All launched instances, live or not.
struct LaunchedInstance {
  std::string type, zone;
};

class Life {
 public:
  explicit Life(const LifeOptions& options);

  void scale(int replicas);
  // Creates one object from YAML, and checks the API server's answer.
  void create(const kubesim::Resource& resource, const std::string& ns, const std::string& yaml);
  void remove(const kubesim::Resource& resource, const std::string& ns, const std::string& name);
  // "True Reason", or "False Reason: message"; empty if there is no such condition.
  std::string condition(const kubesim::Resource& resource, const std::string& ns, const std::string& name,
                        const std::string& type) const;
  // The decision log of the controllers, line by line.
  const std::vector<std::string>& decided() const { return decided_; }
  // "controller key: message", line by line, with the time at which the controllers reported it.
  struct Failure {
    Instant at;
    std::string line;
  };
  const std::vector<Failure>& failures() const { return failures_; }
  std::string metrics() const { return world_->registry().text(); }
  kubesim::Api& api() { return world_->cluster().api(); }
  minicluster::Minicluster& cluster() { return world_->cluster(); }
  runtime::SimRuntime& sim() { return world_->sim(); }
  // Runs until nothing has changed for so long that nothing will; false if that does not happen.
  bool settle();
  // Runs until so many pods run; false if that does not happen.
  bool run_until_running(int pods);
  void run_for(Duration span) { world_->sim().run_for(span); }
  bool run_until(const std::function<bool()>& done, Duration at_most) { return world_->sim().run_until(done, at_most); }
  // Returns the answer of /readyz.
  std::string not_ready() { return world_->process(0).parts()->manager->not_ready(); }
  void crash() { world_->stop_controllers(); }
  cli::SimProcess& process(size_t index) { return world_->process(index); }
  void restart();

  Instant now() const { return world_->sim().now(); }
  // Returns switches between actors and the API server's revision, as a measure of work.
  uint64_t steps() const { return world_->sim().switches(); }
  uint64_t revision() const;
  std::vector<LiveNode> nodes() const;
  std::vector<LaunchedInstance> launched_since(Instant then) const;
  int running_pods() const;
  // Returns instances that cost money and have no NodeClaim.
  int unclaimed_instances() const;
  int live_instances() const;
  std::vector<awssim::FakeInstance> instances() const { return world_->cluster().fake_aws().instances(); }
  bool warn(const std::string& instance, awssim::Notice notice) {
    return world_->cluster().fake_aws().warn(instance, notice);
  }
  // Returns pods that were evicted or deleted otherwise and still exist.
  int ending_pods() const;
  int calls(const std::string& action) const { return world_->cluster().fake_aws().calls(action); }
  void scale_price(const std::string& type, double factor) { world_->cluster().fake_aws().scale_price(type, factor); }

 private:
  class LogOfLife;
  std::vector<std::string> decided_;
  std::vector<Failure> failures_;
  std::unique_ptr<cli::SimWorld> world_;  // last: it writes to decided_ and failures_
};

}  // namespace tenon::simulation
