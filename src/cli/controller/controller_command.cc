// SPDX-License-Identifier: Apache-2.0
#include "cli/controller/controller_command.h"

#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <iostream>

#include "aws/ec2_access.h"
#include "aws/instance_metadata.h"
#include "cli/controller/controller_options.h"
#include "cli/controller/global_settings.h"
#include "cli/documents/kwok_types_option.h"
#include "cli/documents/price_file_option.h"
#include "cli/documents/scheduler_config_option.h"
#include "cli/options/decisions.h"
#include "cli/options/options.h"
#include "cli/process/dumps.h"
#include "cli/process/exit_timer.h"
#include "cli/process/heap.h"
#include "cli/process/logging.h"
#include "cli/process/signals.h"
#include "cli/shell/build_info.h"
#include "cli/wiring/connection.h"
#include "http/curl_transport.h"
#include "json/json.h"
#include "kube/cluster_dns.h"
#include "kube/codec/earlier_api.h"
#include "kube/resource_types.h"
#include "metrics/process.h"

namespace tenon::cli {
namespace {

// The process ends this long after it has lost the lease or was requested to stop, even if a thread hangs. The first
// plus the time to notice the loss is renewDeadline + 2 s; the second is below the 30 s that Kubernetes grants a pod by
// default.
constexpr Duration kLossGrace = 1500ms;
constexpr Duration kStopGrace = controllers::kLaunchGrace + 5s;
constexpr Duration kTrimInterval = 15s;

// `local_transport`: null without AWS.
Result<ControllerWiring> make_wiring(const ControllerOptions& options, const kube::Connection& connection,
                                     aws::Environment environment_of_aws, http::Transport* local_transport) {
  TRY(check_options(options));
  ControllerWiring wiring;
  if (options.cloud == "kwok") {
    wiring.kwok = cloud::KwokProviderOptions{.types = TRY(read_kwok_types(options.kwok_instance_types))};
  } else {
    wiring.environment = std::move(environment_of_aws);
    wiring.region = TRY(aws::discover_region(*local_transport, wiring.environment, {}));
  }
  wiring.cluster_name = options.cluster_name;
  wiring.cluster_endpoint = options.cluster_endpoint;
  wiring.vm_memory_overhead_percent = options.vm_memory_overhead_percent;
  wiring.reserved_enis = options.reserved_enis;
  wiring.interruption_queue = options.interruption_queue;
  wiring.cluster_ca_base64 = nodes_ca(options, connection.ca.text);
  wiring.ami_refresh = options.ami_refresh;
  wiring.subnet_refresh = options.subnet_refresh;
  wiring.isolated_vpc = options.isolated_vpc;
  wiring.disable_dry_run = options.disable_dry_run;
  wiring.eks_control_plane = options.eks_control_plane;
  wiring.manager.zonal_shift = options.enable_zonal_shift;
  if (!options.price_file.empty()) wiring.price_file = TRY(read_price_file(options.price_file));
  if (!options.scheduler_config.empty()) {
    wiring.manager.default_spread = TRY(read_scheduler_config(options.scheduler_config));
  }
  wiring.manager.cluster_state_observability = !options.disable_cluster_state_observability;
  wiring.metrics_detail = options.metrics_detail == "full" ? metrics::Detail::kFull : metrics::Detail::kStandard;
  auto& provisioning = wiring.manager.provisioning;
  provisioning.batch_idle = options.batch_idle;
  provisioning.batch_max = options.batch_max;
  decide_by(TRY(make_decisions(options)), wiring.manager);
  wiring.manager.caps = TRY(caps_of(options));
  return wiring;
}

Result<std::unique_ptr<http::Server>> serve_port(uint16_t port, const std::string& flag, http::Handler& handler,
                                                 const log::Logger& log) {
  if (port == 0) return std::unique_ptr<http::Server>();
  http::ServerOptions options;
  options.address = "";  // all addresses, IPv6 and IPv4
  options.port = port;
  options.threw = [flag, log](const http::ServerRequest& request, std::string_view what) {
    log.failure(flag, request.raw_path, {Code::kInternal, "the handler threw: " + std::string(what)});
  };
  return TRY_IN(flag, http::start_server(handler, std::move(options)));
}

std::optional<kube::LeaderOptions> election(const ControllerOptions& options, const std::string& ns,
                                            const std::string& name, runtime::Runtime& runtime) {
  if (options.disable_leader_election) return std::nullopt;
  char host[256] = "localhost";
  ::gethostname(host, sizeof host - 1);
  return kube::LeaderOptions{
      .ns = ns, .name = name, .identity = std::string(host) + "_" + std::to_string(runtime.random())};
}

}  // namespace

Result<std::unique_ptr<ControllerProcess>> ControllerProcess::make(const ControllerOptions& options,
                                                                   const aws::Environment& environment,
                                                                   const ProcessLog& log, Lost lost) {
  std::unique_ptr<ControllerProcess> process(new ControllerProcess());
  TRY(process->set_up(options, environment, log, std::move(lost)));
  return process;
}

Status ControllerProcess::set_up(ControllerOptions options, const aws::Environment& environment,
                                 const ProcessLog& process_log, Lost lost) {
  const log::Logger& log = process_log.logger;
  const kube::Connection connection = TRY(find_connection(options.kubeconfig, options.context, environment));
  const bool on_aws = options.cloud == "aws";
  const aws::Environment environment_of_aws = on_aws ? TRY(aws::with_profile(environment)) : environment;
  runtime_ = runtime::make_live_runtime();
  for (const std::string& warning : connection.warnings) log.warn(warning);
  parts_.kube_transport = make_kube_transport(*runtime_, connection);
  if (on_aws) {
    const std::string ca_bundle = TRY(aws::read_ca_bundle(environment_of_aws));
    parts_.aws_transport = http::make_curl_transport({.ca_pem = ca_bundle});
    parts_.local_transport = http::make_curl_transport({.ca_pem = ca_bundle, .no_proxy = true});
  }
  const bool in_pod = options.kubeconfig.empty() && environment("KUBECONFIG").empty();
  const std::string ns = lease_namespace(options, environment("SYSTEM_NAMESPACE"), in_pod ? connection.ns : "");
  const controllers::ObserveOptions observe{ns, lease_name(options.leader_name, options.observe)};
  if (options.observe) restrict_to_observation(parts_, connection.server, observe);
  // Before anything else: a wrong address, CA or token is one clear error, not an endless retry.
  kube::ClientOptions client = client_options(connection);
  client.limiter = kube::make_request_limiter(*runtime_, options.kube_client_qps, options.kube_client_burst);
  own_client_ = kube::make_client(*runtime_, *parts_.kube_transport, client);
  const std::string version = TRY(own_client_->server_version({}));
  TRY(read_settings(ns, log, options));
  ControllerWiring wiring = TRY(make_wiring(options, connection, environment_of_aws, parts_.local_transport.get()));
  wiring.kube = std::move(client);
  wiring.replica.election = election(options, ns, observe.lease, *runtime_);
  if (options.observe) wiring.manager.observe = observe;
  wiring.manager.settings_namespace = ns;
  wiring.log = log;
  wiring.replica.lost = std::move(lost);
  // If it is empty, kubelets may find it themselves.
  if (on_aws) wiring.cluster_dns_ip = kube::find_cluster_dns(*own_client_, {}).value_or("");
  serve_webhooks(options, wiring);
  if (process_log.level) {
    log_level_ = std::make_unique<LogLevelWatch>(*runtime_, *own_client_, ns, process_log, options.log_level);
    log_level_->start();
  }
  TRY(wire_controllers(*runtime_, parts_, std::move(wiring)));
  // An AWS that does not answer now may answer later; an AWS that denies access is an error for the user.
  const Status access = on_aws ? aws::check_ec2_access(*parts_.aws, {}) : ok();
  if (!access && access.error().code == Code::kForbidden) return access;
  if (options.enable_zonal_shift) TRY_IN("--enable-zonal-shift", parts_.provider->shifted_zones({}));
  process_metrics_ = metrics::collect_process(*parts_.registry);
  endpoints_ = std::make_unique<EndpointHandler>(*parts_.registry, [this] { return parts_.manager->not_ready(); });
  http::Handler* of_metrics = endpoints_.get();
  if (options.enable_profiling) {
    profiling_ = std::make_unique<ProfilingHandler>(*endpoints_, [this] { return cached_objects(); });
    of_metrics = profiling_.get();
  }
  metrics_ = TRY(serve_port(options.metrics_port, "--metrics-port", *of_metrics, log));
  health_ = TRY(serve_port(options.health_probe_port, "--health-probe-port", *endpoints_, log));
  log.info("connected to " + connection.server + ", Kubernetes " + version);
  if (options.observe) {
    log.info("--observe: decisions are reported and not performed; events are about Lease " + ns + "/" + observe.lease);
  }
  return ok();
}

// Reads the ConfigMap of Karpenter v0.27, if there is one. An invalid setting ends the start, as it did then.
Status ControllerProcess::read_settings(const std::string& ns, const log::Logger& log, ControllerOptions& options) {
  const auto settings = own_client_->get(kube::kConfigMaps, {ns, std::string(kGlobalSettings)}, {});
  if (!settings && settings.error().code == Code::kNotFound) return ok();
  const std::string who = "ConfigMap " + ns + "/" + std::string(kGlobalSettings);
  if (!settings) {  // an installation without v0.27's RBAC has no such ConfigMap either
    log.warn(who + " was not read: " + settings.error().message);
    return ok();
  }
  const model::GlobalSettings decoded = TRY_IN(who, kube::codec::decode_global_settings(*settings));
  apply_global_settings(decoded, options);
  return ok();
}

ObjectCounts ControllerProcess::cached_objects() {
  const state::Cluster& cluster = parts_.manager->cluster();
  return {{"Pod", cluster.pods.size()},
          {"Node", cluster.nodes.size()},
          {"NodeClaim", cluster.claims.size()},
          {"NodePool", cluster.pools.size()},
          {"EC2NodeClass", cluster.node_classes.size()},
          {"VolumeAttachment", cluster.volume_attachments.size()},
          {"PersistentVolumeClaim", cluster.volume_claims.size()}};
}

// Before any informer starts: the API server needs the conversion to list objects that are stored as v1beta1. Without
// working webhooks the controllers go on.
void ControllerProcess::serve_webhooks(const ControllerOptions& options, const ControllerWiring& wiring) {
  if (options.observe || options.disable_webhook || options.webhook_port == 0) return;
  webhooks_ = std::make_unique<webhooks::Webhooks>(
      *runtime_, *own_client_,
      webhooks::Options{.service = {wiring.manager.settings_namespace, options.karpenter_service},
                        .port = options.webhook_port,
                        .admission = wiring.manager.provisioners,
                        .log = wiring.log});
  if (const Status served = webhooks_->reconcile({}); !served) wiring.log.failure("webhooks", "", served.error());
  webhooks_->start();
}

int run_controller(const ControllerOptions& options, const std::vector<std::string>& without_effect) {
  tune_heap();
  const Signals signals;
  const auto made = make_log({.format = options.log_format,
                              .level = options.log_level,
                              .outputs = options.log_output_paths,
                              .error_outputs = options.log_error_output_paths,
                              .sampling = options.log_sampling,
                              .commit = std::string(build_info().commit)});
  if (!made) {
    std::cerr << "tenon controller: " << made.error().message << "\n";
    return kExitError;
  }
  const log::Logger& log = made->logger;
  if (!forbid_dumps()) log.warn("core dumps could not be forbidden: one would hold credentials");
  for (const std::string& name : without_effect) log.info("option without effect: " + name);
  if (!options.ignore_dra_requests) {
    log.warn(
        "--ignore-dra-requests=false (IGNORE_DRA_REQUESTS) has no effect: pods with resource claims are not placed");
  }
  ExitTimer timer([log](const std::string& why) {
    log.error(why + "; the process exits although some of its threads still run");
    std::_Exit(kExitError);
  });
  const auto process =
      ControllerProcess::make(options, aws::process_environment(), *made, [&timer, log](const std::string& why) {
        log.error(why);
        timer.arm(kLossGrace, why);
      });
  if (!process) {
    log.error(process.error().message);
    return kExitError;
  }
  controllers::Replica::End end{};
  const auto running = (*process)->runtime().spawn("controller", [&](const std::stop_token& stop) {
    end = (*process)->run(stop);
    signals.wake();
  });
  for (bool asked = false;;) {
    const auto signal = signals.wait(kTrimInterval);
    if (!signal) {
      if (signals.woken()) break;
      trim_heap();
    } else if (*signal == SIGHUP) {
      log.info("SIGHUP is ignored: no configuration is reloaded");
    } else if (!asked) {
      asked = true;
      log.info("stopping: " + std::string(::sigabbrev_np(*signal)));
      timer.arm(kStopGrace, "stop requested");
      running->request_stop();
    }
  }
  running->join();
  if (end == controllers::Replica::End::kLostLease) return kExitError;  // the reason was logged when the lease was lost
  log.info("stopped");
  return kExitDone;
}

}  // namespace tenon::cli
