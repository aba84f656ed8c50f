// `tenon controller`: the controllers against a real API server and a real AWS (or whatever the kubeconfig and
// AWS_ENDPOINT_URL name).
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cstdlib>
#include <iostream>

#include "aws/ec2_access.h"
#include "aws/instance_metadata.h"
#include "cli/controller_options.h"
#include "cli/endpoints.h"
#include "cli/feature_gates.h"
#include "cli/logging.h"
#include "cli/options.h"
#include "cli/price_file_option.h"
#include "cli/signals.h"
#include "cli/world.h"
#include "http/curl_transport.h"
#include "http/server.h"
#include "kube/cluster_dns.h"
#include "kube/leader.h"

namespace tenon::cli {
namespace {

int complain(const Error& error) {
  std::cerr << "tenon controller: " << error.message << "\n";
  return kExitError;
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

Result<kube::Connection> find_connection(const std::string& flag) {
  const std::string path = flag.empty() ? environment("KUBECONFIG") : flag;
  if (!path.empty()) return kube::load_kubeconfig(path);
  auto in_cluster = kube::in_cluster_connection();
  if (in_cluster || in_cluster.error().code != Code::kNotFound) return in_cluster;
  return fail(Code::kInvalid, "no cluster to connect to: give --kubeconfig FILE, set KUBECONFIG, or run in a pod");
}

Result<ControllerWiring> make_wiring(const ControllerOptions& options, const kube::Connection& connection,
                                     aws::Environment environment_of_aws, http::Transport& local_transport) {
  TRY(check_options(options));
  ControllerWiring wiring;
  wiring.kube = {
      .server = connection.server, .bearer_token = connection.bearer_token, .token_file = connection.token_file};
  wiring.environment = std::move(environment_of_aws);
  wiring.region = TRY(aws::discover_region(local_transport, wiring.environment, {}));
  wiring.cluster_name = options.cluster_name;
  wiring.cluster_endpoint = options.cluster_endpoint;
  wiring.vm_memory_overhead_percent = options.vm_memory_overhead_percent;
  wiring.reserved_enis = options.reserved_enis;
  wiring.interruption_queue = options.interruption_queue;
  wiring.cluster_ca_base64 = nodes_ca(options, connection.ca_pem);
  wiring.ami_refresh = options.ami_refresh;
  wiring.subnet_refresh = options.subnet_refresh;
  wiring.isolated_vpc = options.isolated_vpc;
  wiring.disable_dry_run = options.disable_dry_run;
  wiring.eks_control_plane = options.eks_control_plane;
  wiring.manager.zonal_shift = options.enable_zonal_shift;
  if (!options.price_file.empty()) wiring.price_file = TRY(read_price_file(options.price_file));
  wiring.manager.decided = log_decision;
  wiring.warn = log_warning;
  wiring.debug = log_debug;
  wiring.manager.failed = log_failure;
  auto& provisioning = wiring.manager.provisioning;
  provisioning.batch_idle = options.batch_idle;
  provisioning.batch_max = options.batch_max;
  auto& solve = provisioning.solve;
  solve.preferences = options.preference_policy == "Ignore" ? scheduling::PreferencePolicy::kIgnore
                                                            : scheduling::PreferencePolicy::kRespect;
  solve.min_values = options.min_values_policy == "BestEffort" ? scheduling::MinValuesPolicy::kBestEffort
                                                               : scheduling::MinValuesPolicy::kStrict;
  wiring.manager.disruption.solve = solve;
  open_gates(TRY(parse_gates(options.feature_gates)), wiring.manager);
  return wiring;
}

Result<std::unique_ptr<http::Server>> serve_port(uint16_t port, const std::string& flag, http::Handler& handler) {
  if (port == 0) return std::unique_ptr<http::Server>();
  http::ServerOptions options;
  options.address = "0.0.0.0";
  options.port = port;
  options.threw = [flag](const http::ServerRequest& request, std::string_view what) {
    log_failure(flag, request.raw_path, {Code::kInternal, "the handler threw: " + std::string(what)});
  };
  return TRY_IN(flag, http::start_server(handler, std::move(options)));
}

// Until a signal.
int serve(const Signals& signals, ControllerParts& parts) {
  parts.manager->start();
  while (!signals.wait(60)) {
  }
  log_info("stopping");
  parts.manager.reset();
  return kExitDone;
}

// One replica works, the others wait. A lost lease ends the process: what it believed may be out of date.
int lead(const Signals& signals, runtime::Runtime& runtime, ControllerParts& parts, const std::string& ns,
         const std::string& name) {
  char host[256] = "localhost";
  ::gethostname(host, sizeof host - 1);
  kube::LeaderElector elector(
      runtime, *parts.kube,
      {.ns = ns, .name = name, .identity = std::string(host) + "_" + std::to_string(runtime.random())});
  elector.on_lost([] { ::kill(::getpid(), SIGTERM); });
  log_info("waiting to lead: " + ns + "/" + name);
  const auto election = runtime.spawn("leader", [&](const std::stop_token& stop) {
    if (elector.acquire(stop)) ::kill(::getpid(), SIGHUP);
  });
  const int first = signals.wait_for_any();
  if (first != SIGHUP) {
    election->request_stop();
    return kExitDone;
  }
  log_info("leading");
  const int code = serve(signals, parts);
  const bool lost = !elector.leading();
  elector.release();
  if (lost) std::cerr << "tenon controller: lost the lease: " << elector.last_problem() << "\n";
  return lost ? kExitError : code;
}

}  // namespace

int run_controller(const ControllerOptions& options) {
  const Signals signals;
  const LogFormat format = options.log_format == "text" ? LogFormat::kText : LogFormat::kJson;
  if (const Status logging = set_up_logging(format, options.log_level); !logging) return complain(logging.error());
  for (const std::string& name : options.without_effect) log_info("option without effect: " + name);
  if (!options.ignore_dra_requests) {
    log_warning(
        "--ignore-dra-requests=false (IGNORE_DRA_REQUESTS) has no effect: pods with resource claims are not placed");
  }
  const auto connection = find_connection(options.kubeconfig);
  if (!connection) return complain(connection.error());
  const auto runtime = runtime::make_live_runtime();
  ControllerParts parts;
  auto environment_of_aws = aws::with_profile(aws::process_environment());
  if (!environment_of_aws) return complain(environment_of_aws.error());
  const auto ca_bundle = aws::read_ca_bundle(*environment_of_aws);
  if (!ca_bundle) return complain(ca_bundle.error());
  parts.aws_transport = http::make_curl_transport({.ca_pem = *ca_bundle});
  parts.local_transport = http::make_curl_transport({.ca_pem = *ca_bundle, .no_proxy = true});
  auto wiring = make_wiring(options, *connection, *std::move(environment_of_aws), *parts.local_transport);
  if (!wiring) return complain(wiring.error());

  parts.kube_transport = http::make_curl_transport({.ca_pem = connection->ca_pem,
                                                    .client_cert_pem = connection->client_cert_pem,
                                                    .client_key_pem = connection->client_key_pem,
                                                    .server_name = connection->tls_server_name,
                                                    .insecure_skip_verify = connection->insecure_skip_verify,
                                                    .proxy_url = connection->proxy_url});
  // Before anything runs: a wrong address, CA or token is one clear line, not a retry for ever.
  const auto kube = kube::make_client(*runtime, *parts.kube_transport, wiring->kube);
  const auto version = kube->server_version({});
  if (!version) return complain(version.error());
  wiring->cluster_dns_ip = kube::find_cluster_dns(*kube, {}).value_or("");  // kubelets may find it themselves
  if (const Status wired = wire_controllers(*runtime, parts, std::move(*wiring)); !wired)
    return complain(wired.error());
  // An AWS that does not answer now will do so later; one that refuses us has to be told to somebody.
  if (const Status access = aws::check_ec2_access(*parts.aws, {}); !access && access.error().code == Code::kForbidden) {
    return complain(access.error());
  }
  if (options.enable_zonal_shift) {
    const auto shifted = parts.provider->shifted_zones({});
    if (!shifted) return complain(shifted.error().in("--enable-zonal-shift"));
  }
  EndpointHandler handler(*parts.registry, [&parts] { return parts.manager && parts.manager->ready(); });
  const auto metrics = serve_port(options.metrics_port, "--metrics-port", handler);
  if (!metrics) return complain(metrics.error());
  const auto health = serve_port(options.health_probe_port, "--health-probe-port", handler);
  if (!health) return complain(health.error());
  log_info("connected to " + connection->server + ", Kubernetes " + *version);
  if (options.disable_leader_election) return serve(signals, parts);
  const bool in_pod = options.kubeconfig.empty() && environment("KUBECONFIG").empty();
  const std::string ns = lease_namespace(options, environment("SYSTEM_NAMESPACE"), in_pod ? connection->ns : "");
  return lead(signals, *runtime, parts, ns, options.leader_name);
}

}  // namespace tenon::cli
