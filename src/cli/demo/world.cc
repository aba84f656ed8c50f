// SPDX-License-Identifier: Apache-2.0
#include "cli/demo/world.h"

#include <openssl/rand.h>

#include <map>

#include "base/text.h"
#include "cli/demo/sim_process.h"
#include "cli/documents/kwok_types_option.h"
#include "http/curl_transport.h"
#include "http/loopback_transport.h"

namespace tenon::cli {
namespace {

constexpr const char* kSimKubeHost = "kubernetes.sim";
constexpr const char* kSimAwsHost = "aws.sim";
constexpr Duration kCertificateLifetime = 24h * 365;

aws::Environment environment_of(std::map<std::string, std::string> values) {
  return [values = std::move(values)](const std::string& name) {
    const auto it = values.find(name);
    return it == values.end() ? std::string() : it->second;
  };
}

ControllerWiring demo_wiring() {
  ControllerWiring wiring;
  wiring.region = kDemoRegion;
  wiring.cluster_name = kDemoCluster;
  return wiring;
}

std::string random_hex(size_t bytes) {
  std::string raw(bytes, '\0');
  RAND_bytes(reinterpret_cast<unsigned char*>(raw.data()), static_cast<int>(bytes));
  std::string out;
  for (const char c : raw) {
    constexpr std::string_view kHex = "0123456789abcdef";
    out += kHex[static_cast<unsigned char>(c) >> 4];
    out += kHex[static_cast<unsigned char>(c) & 15];
  }
  return out;
}

}  // namespace

Result<std::unique_ptr<SimWorld>> SimWorld::make(Options options) {
  std::unique_ptr<SimWorld> world(new SimWorld());
  world->options_ = std::move(options);
  world->sim_ = runtime::make_sim_runtime({.seed = world->options_.seed});
  minicluster::MiniclusterOptions cluster;
  cluster.aws.cluster_name = kDemoCluster;
  cluster.aws.region = kDemoRegion;
  cluster.aws.cluster_endpoint = std::string("https://") + kSimKubeHost;
  cluster.aws.check_signatures = false;  // the loopback transport is not a network
  cluster.aws.fault = world->options_.aws_fault;
  cluster.aws.shutting_down_for = world->options_.shutting_down_for;
  cluster.aws.instance_types = world->options_.instance_types;
  cluster.install_optional_crds = world->options_.optional_crds;
  cluster.install_legacy_crds = world->options_.decisions.gates.provisioners;
  cluster.install_kwok_crds = world->options_.kwok;
  cluster.faults = world->options_.machine_faults;
  cluster.store = world->options_.store;
  world->cluster_ = std::make_unique<minicluster::Minicluster>(*world->sim_, std::move(cluster));
  TRY(world->cluster_->start());
  if (world->options_.made) world->options_.made(*world);
  for (size_t i = 0; i < world->options_.replicas + (world->options_.observer ? 1 : 0); ++i) {
    world->processes_.push_back(std::make_unique<SimProcess>(*world->sim_, "replica/" + std::to_string(i),
                                                             [w = world.get(), i] { return w->make_parts(i); }));
  }
  TRY(world->start_controllers());
  return world;
}

SimWorld::~SimWorld() {
  stop_controllers();
  if (cluster_) cluster_->stop();
}

metrics::Registry& SimWorld::registry() const { return *processes_.front()->parts()->registry; }

void SimWorld::stop_controllers() {
  for (const auto& process : processes_) process->crash();
}

Status SimWorld::start_controllers() {
  for (const auto& process : processes_) TRY(process->start());
  return ok();
}

Result<std::unique_ptr<ControllerParts>> SimWorld::make_parts(size_t replica) {
  auto parts = std::make_unique<ControllerParts>();
  const std::map<std::string, http::Handler*> hosts{{kSimKubeHost, &cluster_->api_handler()},
                                                    {kSimAwsHost, &cluster_->fake_aws()}};
  parts->kube_transport = http::make_loopback_transport(hosts);
  parts->aws_transport = http::make_loopback_transport(hosts);
  parts->local_transport = http::make_loopback_transport({});
  const bool observes = replica == options_.replicas;
  if (options_.kube_wire && !observes) parts->kube_transport = options_.kube_wire(std::move(parts->kube_transport));
  if (options_.aws_wire && !observes) parts->aws_transport = options_.aws_wire(std::move(parts->aws_transport));
  ControllerWiring wiring = demo_wiring();
  wiring.kube.server = std::string("http://") + kSimKubeHost;
  wiring.environment = environment_of({{"AWS_ENDPOINT_URL", std::string("http://") + kSimAwsHost},
                                       {"AWS_ACCESS_KEY_ID", "AKIDSIMULATION"},
                                       {"AWS_SECRET_ACCESS_KEY", "simulation"},
                                       {"AWS_REGION", kDemoRegion}});
  wiring.interruption_queue = options_.interruption_queue;
  if (options_.kwok) wiring.kwok = cloud::KwokProviderOptions{.types = TRY(read_kwok_types(""))};
  wiring.price_file = options_.price_file;
  wiring.isolated_vpc = options_.isolated_vpc;
  wiring.eks_control_plane = options_.eks_control_plane;
  wiring.disable_dry_run = options_.disable_dry_run;
  wiring.manager.zonal_shift = options_.zonal_shift;
  wiring.manager.abort_on_violation = true;
  decide_by(options_.decisions, wiring.manager);
  wiring.manager.default_spread = options_.default_spread;
  wiring.metrics_detail = options_.metrics_detail;
  wiring.log = options_.log;
  if (options_.leader_election) {
    wiring.replica.election =
        kube::LeaderOptions{.identity = "replica-" + std::to_string(replica) + "_" + std::to_string(++starts_)};
  }
  if (options_.tune) options_.tune(wiring.manager);
  if (observes) make_observer(*parts, wiring);
  TRY(wire_controllers(*sim_, *parts, std::move(wiring)));
  return parts;
}

void SimWorld::make_observer(ControllerParts& parts, ControllerWiring& wiring) const {
  if (options_.observer_wire) {
    parts.kube_transport = options_.observer_wire(std::move(parts.kube_transport));
    parts.aws_transport = options_.observer_wire(std::move(parts.aws_transport));
  }
  kube::LeaderOptions election{.identity = "observer"};
  election.name = lease_name(election.name, true);
  wiring.manager.observe = controllers::ObserveOptions{election.ns, election.name};
  restrict_to_observation(parts, wiring.kube.server, *wiring.manager.observe);
  wiring.replica.election = election;
}

Result<std::unique_ptr<LiveWorld>> LiveWorld::make(Options options) {
  std::unique_ptr<LiveWorld> world(new LiveWorld());
  LiveWorld& w = *world;
  w.options_ = std::move(options);
  w.runtime_ = runtime::make_live_runtime(w.options_.speed);
  w.token_ = random_hex(16);
  w.access_key_ = "AKID" + to_lower(random_hex(8));
  w.secret_key_ = random_hex(20);
  w.certificate_ = TRY(http::make_self_signed({"localhost", "127.0.0.1"}, kCertificateLifetime, w.runtime_->now()));

  minicluster::MiniclusterOptions cluster;
  cluster.bearer_token = w.token_;
  cluster.aws.cluster_name = kDemoCluster;
  cluster.aws.region = kDemoRegion;
  cluster.aws.access_key_id = w.access_key_;
  cluster.aws.secret_access_key = w.secret_key_;
  cluster.aws.cluster_endpoint = "https://127.0.0.1";
  cluster.aws.cluster_ca_pem = w.certificate_.ca_pem;
  const Gates& gates = w.options_.decisions.gates;
  cluster.install_optional_crds = gates.node_overlays || gates.capacity_buffers;
  cluster.install_legacy_crds = gates.provisioners;
  cluster.install_kwok_crds = w.options_.kwok;
  cluster.webhooks = [](const std::string& ca_pem, const std::string& server_name) {
    return http::make_curl_transport({.ca_pem = ca_pem, .server_name = server_name, .no_proxy = true});
  };
  w.cluster_ = std::make_unique<minicluster::Minicluster>(*w.runtime_, std::move(cluster));
  TRY(w.cluster_->start());

  http::ServerOptions api;
  api.port = w.options_.port;
  api.tls = std::make_unique<http::TlsServerOptions>(
      http::TlsServerOptions{w.certificate_.cert_pem, w.certificate_.key_pem, ""});
  const auto threw = [log = w.options_.log](const http::ServerRequest& request, std::string_view what) {
    log.failure("http.server", request.raw_path, {Code::kInternal, "the handler threw: " + std::string(what)});
  };
  api.threw = threw;
  http::ServerOptions aws;
  aws.threw = threw;
  w.control_ = std::make_unique<DemoControl>(*w.runtime_, *w.cluster_, w.token_);
  w.api_server_ = TRY(http::start_server(*w.control_, std::move(api)));
  w.aws_server_ = TRY(http::start_server(w.cluster_->fake_aws(), std::move(aws)));
  if (w.options_.made) w.options_.made(w);
  if (!w.options_.controllers) return world;

  w.parts_.kube_transport = http::make_curl_transport({.ca_pem = w.certificate_.ca_pem});
  w.parts_.aws_transport = http::make_curl_transport();
  w.parts_.local_transport = http::make_curl_transport({.no_proxy = true});
  ControllerWiring wiring = demo_wiring();
  wiring.kube.server = w.server_url();
  wiring.kube.bearer_token = w.token_;
  wiring.cluster_endpoint = w.server_url();
  wiring.interruption_queue = kDemoCluster;
  wiring.environment = environment_of({{"AWS_ENDPOINT_URL", w.aws_url()},
                                       {"AWS_ACCESS_KEY_ID", w.access_key_},
                                       {"AWS_SECRET_ACCESS_KEY", w.secret_key_},
                                       {"AWS_REGION", kDemoRegion}});
  if (w.options_.kwok) wiring.kwok = cloud::KwokProviderOptions{.types = TRY(read_kwok_types(""))};
  decide_by(w.options_.decisions, wiring.manager);
  wiring.manager.default_spread = w.options_.default_spread;
  wiring.metrics_detail = w.options_.metrics_detail;
  wiring.log = w.options_.log;
  TRY(wire_controllers(*w.runtime_, w.parts_, std::move(wiring)));
  w.parts_.manager->start();
  return world;
}

LiveWorld::~LiveWorld() {
  parts_.manager.reset();  // before the objects that it uses
  parts_ = {};
  api_server_.reset();
  aws_server_.reset();
  if (cluster_) cluster_->stop();
}

std::string LiveWorld::server_url() const { return "https://127.0.0.1:" + std::to_string(api_server_->port()); }
std::string LiveWorld::aws_url() const { return "http://127.0.0.1:" + std::to_string(aws_server_->port()); }

std::string LiveWorld::kubeconfig() const {
  return "apiVersion: v1\nkind: Config\ncurrent-context: tenon-demo\n"
         "clusters:\n- name: tenon-demo\n  cluster:\n    server: " +
         server_url() + "\n    certificate-authority-data: " + base64_encode(certificate_.ca_pem) +
         "\nusers:\n- name: tenon-demo\n  user:\n    token: " + token_ +
         "\ncontexts:\n- name: tenon-demo\n  context:\n    cluster: tenon-demo\n    user: tenon-demo\n";
}

std::string LiveWorld::aws_environment() const {
  return "export AWS_ENDPOINT_URL=" + aws_url() + "\nexport AWS_ACCESS_KEY_ID=" + access_key_ +
         "\nexport AWS_SECRET_ACCESS_KEY=" + secret_key_ + "\nexport AWS_REGION=" + std::string(kDemoRegion) +
         "\nexport CLUSTER_NAME=" + kDemoCluster + "\nexport INTERRUPTION_QUEUE=" + kDemoCluster + "\n";
}

}  // namespace tenon::cli
