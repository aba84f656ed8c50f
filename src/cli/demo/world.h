// The demo's world: an embedded cluster with its AWS, and (unless disabled) the controllers, which reach both only
// through their real clients. There are two kinds: on sockets with real threads, or in process under virtual time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "catalog/price_file.h"
#include "cli/demo/demo_control.h"
#include "cli/options/decisions.h"
#include "cli/wiring/wiring.h"
#include "controllers/manager/manager.h"
#include "http/server.h"
#include "log/log.h"
#include "metrics/registry.h"
#include "minicluster/minicluster.h"
#include "runtime/live.h"
#include "runtime/sim.h"

namespace tenon::cli {

inline constexpr const char* kDemoCluster = "demo";
inline constexpr const char* kDemoRegion = "us-east-1";

class SimProcess;

// In process, under virtual time.
class SimWorld {
 public:
  struct Options {
    uint64_t seed = 1;
    size_t replicas = 1;           // processes with controllers
    bool leader_election = false;  // required for two or more
    bool observer = false;         // one more process, the last one: `tenon controller --observe`
    Decisions decisions = default_decisions();
    scheduling::SpreadConstraints default_spread = {};
    metrics::Detail metrics_detail = metrics::Detail::kFull;
    bool optional_crds = false;  // installed from the start
    bool kwok = false;           // the controllers run with --cloud kwok
    tenon::log::Logger log = {};
    std::string interruption_queue = {};                                   // the world's own queue is kDemoCluster
    Duration shutting_down_for = 1s;                                       // of an instance, until it is terminated
    std::function<std::string(const std::string& action)> aws_fault = {};  // as FakeAwsOptions::fault
    std::vector<std::string> instance_types = {};                          // that EC2 offers; empty: the demo's
    std::shared_ptr<const kubesim::MachineFaults> machine_faults = {};
    kubesim::StoreOptions store = {};
    catalog::PriceFile price_file = {};
    bool isolated_vpc = false, disable_dry_run = false, zonal_shift = false, eks_control_plane = false;
    // Wraps the transports between controllers and servers, recreated with them; empty: no wrapper.
    std::function<std::unique_ptr<http::Transport>(std::unique_ptr<http::Transport>)> kube_wire = {}, aws_wire = {};
    // Wraps both transports of the observer, below the filter of its requests.
    std::function<std::unique_ptr<http::Transport>(std::unique_ptr<http::Transport>)> observer_wire = {};
    // Changes the options of the controllers at each start of a process; empty: no change.
    std::function<void(controllers::ManagerOptions&)> tune = {};
    std::function<void(SimWorld&)> made = {};  // called before the first controller starts; may be empty
  };
  static Result<std::unique_ptr<SimWorld>> make(Options options);
  ~SimWorld();

  runtime::SimRuntime& sim() { return *sim_; }
  minicluster::Minicluster& cluster() { return *cluster_; }
  metrics::Registry& registry() const;  // of the first process, while it runs
  SimProcess& process(size_t index) { return *processes_[index]; }
  // stop_controllers() crashes every process: every controller, cache and connection is gone. start_controllers()
  // restarts.
  void stop_controllers();
  Status start_controllers();

 private:
  SimWorld() = default;
  Result<std::unique_ptr<ControllerParts>> make_parts(size_t replica);
  void make_observer(ControllerParts& parts, ControllerWiring& wiring) const;
  Options options_;
  std::unique_ptr<runtime::SimRuntime> sim_;
  std::unique_ptr<minicluster::Minicluster> cluster_;
  uint64_t starts_ = 0;  // of processes
  std::vector<std::unique_ptr<SimProcess>> processes_;
};

// On loopback sockets, with TLS and a token for the API server and signed requests to AWS.
class LiveWorld {
 public:
  struct Options {
    uint64_t seed = 1;
    uint16_t port = 0;
    double speed = 1.0;
    bool controllers = true;
    bool kwok = false;                          // the controllers run with --cloud kwok
    Decisions decisions = default_decisions();  // gates of optional kinds also install the kinds
    scheduling::SpreadConstraints default_spread = {};
    metrics::Detail metrics_detail = metrics::Detail::kFull;
    tenon::log::Logger log = {};
    std::function<void(LiveWorld&)> made;  // before the first controller starts; may be empty
  };
  static Result<std::unique_ptr<LiveWorld>> make(Options options);
  ~LiveWorld();

  runtime::LiveRuntime& runtime() { return *runtime_; }
  minicluster::Minicluster& cluster() { return *cluster_; }
  controllers::Manager* manager() { return parts_.manager.get(); }
  metrics::Registry* registry() const { return parts_.registry.get(); }  // null without controllers
  std::string server_url() const;
  std::string aws_url() const;
  // A kubeconfig for kubectl; holds the token.
  std::string kubeconfig() const;
  // Returns the `export` lines with which another process reaches this world's AWS.
  std::string aws_environment() const;

 private:
  LiveWorld() = default;
  Options options_;
  std::unique_ptr<runtime::LiveRuntime> runtime_;
  std::unique_ptr<minicluster::Minicluster> cluster_;
  std::unique_ptr<DemoControl> control_;
  std::unique_ptr<http::Server> api_server_, aws_server_;
  http::SelfSigned certificate_;
  std::string token_, access_key_, secret_key_;
  ControllerParts parts_;
};

}  // namespace tenon::cli
