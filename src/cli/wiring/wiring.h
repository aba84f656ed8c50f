// The clients and controllers of one process, wired to any API server and any AWS, or no cloud at all: by `tenon
// controller` to real ones, by the demo and by simulations to the embedded cluster.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "aws/client.h"
#include "catalog/price_file.h"
#include "cloud/kwok_provider/kwok_provider.h"
#include "controllers/manager/manager.h"
#include "controllers/manager/replica.h"
#include "kube/client.h"
#include "log/log.h"
#include "metrics/registry.h"

namespace tenon::cli {

// The transports first: everything below uses them. Those of AWS, its credentials and its client are null with
// ControllerWiring::kwok.
struct ControllerParts {
  std::unique_ptr<metrics::Registry> registry;
  std::unique_ptr<http::Transport> kube_transport, aws_transport;
  std::unique_ptr<http::Transport> local_transport;  // to AWS's services on this host: without a proxy
  std::unique_ptr<http::Fence> fence;
  std::unique_ptr<http::Transport> fenced_kube, fenced_aws;
  std::unique_ptr<http::Transport> measured_kube;  // the controllers use this one and fenced_aws
  std::unique_ptr<kube::Client> kube, leases;
  std::unique_ptr<aws::CredentialsProvider> credentials;
  std::unique_ptr<aws::Client> aws;
  std::unique_ptr<cloud::Provider> provider;
  std::unique_ptr<cloud::InterruptionQueue> interruptions;  // null: no queue is configured
  std::unique_ptr<controllers::Manager> manager;
  std::unique_ptr<controllers::Replica> replica;  // it runs the manager
  std::shared_ptr<metrics::Collector> leader;     // last: it reads the replica
};

struct ControllerWiring {
  kube::ClientOptions kube;
  // Set: Nodes without machines instead of AWS (cloud/kwok_provider); what follows about AWS has no effect.
  std::optional<cloud::KwokProviderOptions> kwok;
  aws::Environment environment;  // endpoints, keys, region
  std::string region, cluster_name, cluster_endpoint;
  double vm_memory_overhead_percent = 0.075;
  int reserved_enis = 0;
  std::string interruption_queue;  // its name; empty: none
  bool isolated_vpc = false, disable_dry_run = false;
  bool eks_control_plane = false;                 // EKS, not the API server, returns the version of Kubernetes
  std::string cluster_ca_base64, cluster_dns_ip;  // empty: read from EKS; empty: none
  Duration ami_refresh = 1min, subnet_refresh = 1min;
  catalog::PriceFile price_file;
  metrics::Detail metrics_detail = metrics::Detail::kFull;
  tenon::log::Logger log;               // of all parts
  controllers::ManagerOptions manager;  // its log is set by wire_controllers(), and that of the replica
  controllers::ReplicaOptions replica;
};
// Returns the lease of a process: that of an observer unless another name than the default is given.
std::string lease_name(const std::string& given, bool observe);

// Makes the transports of `parts` to the API server and to AWS (if any) refuse what an observer must not send
// (kube/observer_rule.h, aws/observer_rule.h). Before any client of them is made. `server`: as kube::ClientOptions.
void restrict_to_observation(ControllerParts& parts, const std::string& server,
                             const controllers::ObserveOptions& observe);

// An observer (manager.observe) reads no queue, and considers adopted nodes for consolidation without a wait: it adopts
// none. `parts` already holds kube_transport and, for AWS, aws_transport; nothing runs before parts.replica (or
// parts.manager) runs. Errors: kForbidden, no AWS credentials are configured.
Status wire_controllers(runtime::Runtime& runtime, ControllerParts& parts, ControllerWiring wiring);

}  // namespace tenon::cli
