// The demo's world: an embedded cluster with its AWS, and (unless disabled) the controllers, which reach both only
// through their real clients. There are two kinds: on sockets with real threads, or in process under virtual time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "aws/client.h"
#include "catalog/price_file.h"
#include "cli/decisions.h"
#include "cli/demo_control.h"
#include "controllers/manager.h"
#include "controllers/replica.h"
#include "http/server.h"
#include "kube/client.h"
#include "metrics/registry.h"
#include "minicluster/minicluster.h"
#include "runtime/live.h"
#include "runtime/sim.h"

namespace tenon::cli {

inline constexpr const char* kDemoCluster = "demo";
inline constexpr const char* kDemoRegion = "us-east-1";

// The clients and controllers of one process, for any API server and any AWS.
struct ControllerParts {
  std::unique_ptr<metrics::Registry> registry;
  std::unique_ptr<http::Transport> kube_transport, aws_transport;
  std::unique_ptr<http::Transport> local_transport;  // to AWS's services on this host: without a proxy
  std::unique_ptr<http::Fence> fence;
  std::unique_ptr<http::Transport> fenced_kube, fenced_aws;  // the controllers use these
  std::unique_ptr<kube::Client> kube, leases;
  std::unique_ptr<aws::CredentialsProvider> credentials;
  std::unique_ptr<aws::Client> aws;
  std::unique_ptr<cloud::Provider> provider;
  std::unique_ptr<cloud::InterruptionQueue> interruptions;  // null: no queue is configured
  std::unique_ptr<controllers::Manager> manager;
  std::unique_ptr<controllers::Replica> replica;  // last: it runs the manager
};

struct ControllerWiring {
  kube::ClientOptions kube;
  aws::Environment environment;  // endpoints, keys, region
  std::string region = kDemoRegion;
  std::string cluster_name = kDemoCluster, cluster_endpoint;
  double vm_memory_overhead_percent = 0.075;
  int reserved_enis = 0;
  std::string interruption_queue;  // its name; empty: none
  bool isolated_vpc = false, disable_dry_run = false;
  bool eks_control_plane = false;                 // EKS, not the API server, returns the version of Kubernetes
  std::string cluster_ca_base64, cluster_dns_ip;  // empty: read from EKS; empty: none
  Duration ami_refresh = 1min, subnet_refresh = 1min;
  catalog::PriceFile price_file;
  std::function<void(const std::string& line)> warn;   // missing features of AWS or the cluster; may be empty
  std::function<void(const std::string& line)> debug;  // explanations of launches; may be empty
  controllers::ManagerOptions manager;
  controllers::ReplicaOptions replica;
};
// `parts` already holds kube_transport and aws_transport; nothing runs before parts.replica (or parts.manager) runs.
// Errors: kForbidden, no AWS credentials are configured.
Status wire_controllers(runtime::Runtime& runtime, ControllerParts& parts, ControllerWiring wiring);

// Returns the test-only fault of that name. Errors: kInvalid, with the list of names.
struct Planted {
  controllers::PlantedFaults controllers;
  std::string swap_price_of;  // an instance type that AWS lists at ten times its price
};
Result<Planted> parse_planted_fault(const std::string& name);

class SimProcess;

// In process, under virtual time.
class SimWorld {
 public:
  struct Options {
    uint64_t seed = 1;
    size_t replicas = 1;           // processes with controllers
    bool leader_election = false;  // required for two or more
    Planted planted;
    Decisions decisions = default_decisions();
    scheduling::SpreadConstraints default_spread = {};
    bool optional_crds = false;  // installed from the start
    std::function<void(const std::string& line)> decided;
    std::function<void(const std::string& line)> warned = {};  // empty: as decided
    std::function<void(const std::string& controller, const std::string& key, const Error& error)> failed = {};
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
  };
  static Result<std::unique_ptr<SimWorld>> make(Options options);
  ~SimWorld();

  runtime::SimRuntime& sim() { return *sim_; }
  minicluster::Minicluster& cluster() { return *cluster_; }
  const metrics::Registry& registry() const;  // of the first process, while it runs
  SimProcess& process(size_t index) { return *processes_[index]; }
  // stop_controllers() crashes every process: every controller, cache and connection is gone. start_controllers()
  // restarts.
  void stop_controllers();
  Status start_controllers();

 private:
  SimWorld() = default;
  Result<std::unique_ptr<ControllerParts>> make_parts(size_t replica);
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
    Decisions decisions = default_decisions();  // gates of optional kinds also install the kinds
    scheduling::SpreadConstraints default_spread = {};
    std::function<void(const std::string& line)> decided;
    std::function<void(const std::string& controller, const std::string& key, const Error& error)> failed;
    std::function<void(LiveWorld&)> made;  // before the first controller starts; may be empty
  };
  static Result<std::unique_ptr<LiveWorld>> make(Options options);
  ~LiveWorld();

  runtime::LiveRuntime& runtime() { return *runtime_; }
  minicluster::Minicluster& cluster() { return *cluster_; }
  controllers::Manager* manager() { return parts_.manager.get(); }
  const metrics::Registry* registry() const { return parts_.registry.get(); }  // null without controllers
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
