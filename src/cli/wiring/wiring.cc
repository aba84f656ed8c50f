// SPDX-License-Identifier: Apache-2.0
#include "cli/wiring/wiring.h"

#include "aws/call_metrics.h"
#include "aws/observer_rule.h"
#include "cloud/aws_provider/aws_provider.h"
#include "cloud/aws_provider/interruption/sqs_interruptions.h"
#include "cloud/measured_provider.h"
#include "http/filtered_transport.h"
#include "kube/client_metrics.h"
#include "kube/observer_rule.h"
#include "model/leases.h"

namespace tenon::cli {
namespace {

// parity: client-go tools/leaderelection, controller-runtime pkg/metrics/leaderelection.go
class Leader final : public metrics::Collector {
 public:
  Leader(metrics::Registry& registry, const controllers::Replica& replica, std::string lease)
      : master_(registry.gauge({"leader_election_master_status", "1 while this replica leads, else 0.", {"name"}})),
        replica_(replica),
        lease_(std::move(lease)) {}
  void before_text() override { master_.set({{"name", lease_}}, replica_.leading() ? 1 : 0); }
  void after_text() override {}

 private:
  metrics::Gauge& master_;
  const controllers::Replica& replica_;
  const std::string lease_;
};

Status wire_aws(runtime::Runtime& runtime, ControllerParts& parts, ControllerWiring& wiring) {
  parts.fenced_aws = http::make_fenced_transport(*parts.aws_transport, *parts.fence);
  parts.credentials = TRY(aws::make_default_credentials(
      {*parts.fenced_aws, *parts.local_transport, runtime, wiring.environment, wiring.region}));
  const aws::RetryPolicy retry = TRY(aws::retry_policy(wiring.environment));
  parts.aws = std::make_unique<aws::Client>(aws::Client::Context{*parts.fenced_aws, runtime, *parts.credentials},
                                            aws::Client::Options{.region = wiring.region,
                                                                 .environment = wiring.environment,
                                                                 .user_agent = "tenon/" TENON_VERSION,
                                                                 .retry = retry,
                                                                 .observer = aws::count_calls(*parts.registry)});
  cloud::AwsProviderOptions::AskVersion ask_version;
  if (!wiring.eks_control_plane) {
    ask_version = [&client = *parts.kube](const std::stop_token& stop) { return client.server_version(stop); };
  }
  parts.provider =
      cloud::make_aws_provider(*parts.aws, {.cluster_name = wiring.cluster_name,
                                            .cluster_endpoint = wiring.cluster_endpoint,
                                            .vm_memory_overhead_percent = wiring.vm_memory_overhead_percent,
                                            .reserved_enis = wiring.reserved_enis,
                                            .cluster_ca_base64 = wiring.cluster_ca_base64,
                                            .cluster_dns_ip = wiring.cluster_dns_ip,
                                            .kubernetes_version = std::move(ask_version),
                                            .reserved_capacity = wiring.manager.provisioning.solve.reserved_capacity,
                                            .node_overlays = wiring.manager.node_overlays,
                                            .isolated_vpc = wiring.isolated_vpc,
                                            .disable_dry_run = wiring.disable_dry_run,
                                            .ami_refresh = wiring.ami_refresh,
                                            .subnet_refresh = wiring.subnet_refresh,
                                            .price_file = std::move(wiring.price_file),
                                            .registry = parts.registry.get(),
                                            .log = wiring.log});
  if (!wiring.interruption_queue.empty())
    parts.interruptions = cloud::make_sqs_interruptions(*parts.aws, wiring.interruption_queue);
  return ok();
}

void wire_kwok(runtime::Runtime& runtime, ControllerParts& parts, ControllerWiring& wiring) {
  wiring.kwok->log = wiring.log;
  parts.provider = cloud::make_kwok_provider(runtime, *parts.kube, *std::move(wiring.kwok));
}

}  // namespace

std::string lease_name(const std::string& given, bool observe) {
  const std::string by_default = kube::LeaderOptions().name;
  return observe && given == by_default ? std::string(model::kObserverLease) : given;
}

void restrict_to_observation(ControllerParts& parts, const std::string& server,
                             const controllers::ObserveOptions& observe) {
  const kube::ObserverScope scope{server, observe.ns, observe.lease};
  parts.kube_transport = http::make_filtered_transport(
      std::move(parts.kube_transport),
      [scope](const http::Request& request) { return kube::observer_may_send(request, scope); });
  if (!parts.aws_transport) return;
  parts.aws_transport = http::make_filtered_transport(std::move(parts.aws_transport), aws::observer_may_send);
}

Status wire_controllers(runtime::Runtime& runtime, ControllerParts& parts, ControllerWiring wiring) {
  if (wiring.manager.observe) {
    wiring.interruption_queue.clear();
    wiring.manager.disruption.adoption_wait = {};
  }
  parts.registry = std::make_unique<metrics::Registry>(wiring.metrics_detail);
  parts.fence = std::make_unique<http::Fence>(runtime);
  parts.fenced_kube = http::make_fenced_transport(*parts.kube_transport, *parts.fence);
  parts.measured_kube = kube::measure_requests(*parts.fenced_kube, runtime, *parts.registry);
  parts.kube = kube::make_client(runtime, *parts.measured_kube, wiring.kube);
  const std::string provider_name = wiring.kwok ? "kwok" : "aws";
  if (wiring.kwok) {
    wire_kwok(runtime, parts, wiring);
  } else {
    TRY(wire_aws(runtime, parts, wiring));
  }
  parts.provider = cloud::measure(std::move(parts.provider), provider_name, runtime, *parts.registry);
  wiring.manager.interruptions = parts.interruptions.get();
  wiring.manager.log = wiring.log;
  wiring.replica.log = std::move(wiring.log);
  parts.manager = std::make_unique<controllers::Manager>(runtime, *parts.kube, *parts.provider, *parts.registry,
                                                         std::move(wiring.manager));
  if (const auto& election = wiring.replica.election; election)
    wiring.kube.request_timeout = kube::lease_request_timeout(*election);
  wiring.kube.limiter = nullptr;  // other requests must not delay the renewal of the lease
  parts.leases = kube::make_client(runtime, *parts.kube_transport, wiring.kube);
  const std::string lease = wiring.replica.election ? wiring.replica.election->name : "";
  parts.replica = std::make_unique<controllers::Replica>(
      runtime, controllers::Replica::Parts{*parts.leases, *parts.fence, *parts.manager}, std::move(wiring.replica));
  parts.leader = std::make_shared<Leader>(*parts.registry, *parts.replica, lease);
  parts.registry->add(parts.leader);
  return ok();
}

}  // namespace tenon::cli
