// SPDX-License-Identifier: Apache-2.0
#include "simulation/life.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "base/check.h"
#include "base/text.h"
#include "cli/demo/scenario_observer.h"
#include "json/json.h"
#include "json/yaml.h"
#include "testing/demo_node_class.h"

namespace tenon::simulation {
namespace {

constexpr Duration kQuiet = 120s;  // beyond consolidateAfter and validation
constexpr Duration kAtMost = 3h;

std::string node_pool(const LifeOptions& options) {
  return fmt::format(R"(
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {{name: default}}
spec:
  template:
    spec:
      nodeClassRef: {{group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}}
      requirements:
      - {{key: karpenter.sh/capacity-type, operator: In, values: [{}]}}
      - {{key: node.kubernetes.io/instance-type, operator: In, values: [{}]}}
  disruption:
    consolidateAfter: {}
    budgets: [{{nodes: "{}"}}]
)",
                     options.capacity_type, join(options.types, ", "), options.consolidate_after, options.budget);
}

std::string deployment(const LifeOptions& options) {
  return fmt::format(R"(
apiVersion: apps/v1
kind: Deployment
metadata: {{name: load, namespace: default}}
spec:
  replicas: 0
  selector: {{matchLabels: {{app: load}}}}
  template:
    metadata: {{labels: {{app: load}}}}
    spec:
      terminationGracePeriodSeconds: {}
      {}
      containers:
      - name: load
        image: pause
        resources: {{requests: {{cpu: {}m, memory: {}Mi}}}}
)",
                     options.grace_seconds, options.pod_rules, options.pod_millicores, options.pod_mib);
}

}  // namespace

// Keeps the lines of the controllers' log in the Life.
class Life::LogOfLife : public log::Sink {
 public:
  explicit LogOfLife(Life& life) : life_(life) {}
  bool writes(log::Level level) const override { return level != log::Level::kDebug; }
  void write(const log::Line& line) override {
    if (line.failure) {
      life_.failures_.push_back({life_.now(), log::plain_text(line)});
    } else if (!line.step) {
      life_.decided_.push_back(log::plain_text(line));
    }
  }

 private:
  Life& life_;
};

Life::Life(const LifeOptions& options) {
  using MakeTransport = std::function<std::unique_ptr<http::Transport>(std::unique_ptr<http::Transport>)>;
  const auto on_wire = [this](const Tamper& tamper) -> MakeTransport {
    return [this, tamper](std::unique_ptr<http::Transport> inner) {
      if (!tamper) return inner;
      return tamper_with(std::move(inner), [this]() -> runtime::Runtime& { return world_->sim(); }, tamper);
    };
  };
  const MakeTransport kube_wire = options.kube_transport ? options.kube_transport : on_wire(options.kube_wire);
  auto world = cli::SimWorld::make({.seed = options.seed,
                                    .leader_election = options.leader_election,
                                    .observer = options.observer,
                                    .decisions = options.decisions,
                                    .optional_crds = options.optional_crds,
                                    .log = log::Logger(std::make_shared<LogOfLife>(*this)),
                                    .interruption_queue = options.interruption_queue,
                                    .shutting_down_for = options.shutting_down_for,
                                    .kube_wire = kube_wire,
                                    .aws_wire = on_wire(options.aws_wire),
                                    .observer_wire = options.observer_wire});
  CHECK(world.has_value(), world ? "" : world.error().message);
  world_ = std::move(*world);
  create({"karpenter.k8s.aws", "ec2nodeclasses"}, "", testing::kDemoNodeClass);
  create({"karpenter.sh", "nodepools"}, "", node_pool(options));
  create({"apps", "deployments"}, "default", deployment(options));
  settle();
}

void Life::create(const kubesim::Resource& resource, const std::string& ns, const std::string& yaml) {
  const auto documents = json::parse_yaml(yaml);
  CHECK(documents.has_value() && documents->size() == 1, yaml);
  const auto created = world_->cluster().api().create(resource, ns, documents->front());
  CHECK(created.has_value(), created ? "" : created.error().message);
}

void Life::remove(const kubesim::Resource& resource, const std::string& ns, const std::string& name) {
  const auto removed = world_->cluster().api().remove(resource, ns, name);
  CHECK(removed.has_value(), removed ? "" : removed.error().message);
}

std::string Life::condition(const kubesim::Resource& resource, const std::string& ns, const std::string& name,
                            const std::string& type) const {
  const auto object = world_->cluster().api().get(resource, ns, name);
  if (!object) return object.error().message;
  const json::array conditions = json::array_at(**object, {"status", "conditions"});
  for (const json::value& condition : conditions) {
    if (json::string_at(condition, {"type"}) != type) continue;
    const std::string message(json::string_at(condition, {"message"}));
    return std::string(json::string_at(condition, {"status"})) + " " +
           std::string(json::string_at(condition, {"reason"})) + (message.empty() ? "" : ": " + message);
  }
  return {};
}

void Life::scale(int replicas) {
  const json::value patch{{"spec", {{"replicas", replicas}}}};
  const auto scaled = world_->cluster().api().merge_patch({"apps", "deployments"}, "default", "load", patch);
  CHECK(scaled.has_value(), scaled ? "" : scaled.error().message);
}

void Life::restart() {
  const Status started = world_->start_controllers();
  CHECK(started.has_value(), started ? "" : started.error().message);
}

bool Life::settle() {
  cli::Observer observer(world_->cluster().api(), world_->cluster().fake_aws(), world_->sim());
  return world_->sim().run_until(
      [&] {
        observer.observe();
        return world_->sim().now() - observer.last_change() >= kQuiet;
      },
      kAtMost);
}

bool Life::run_until_running(int pods) {
  return world_->sim().run_until([&] { return running_pods() == pods; }, kAtMost);
}

std::vector<LaunchedInstance> Life::launched_since(Instant then) const {
  std::vector<LaunchedInstance> launched;
  for (const auto& instance : world_->cluster().fake_aws().instances()) {
    if (instance.launched_at >= then) launched.push_back({instance.type, instance.zone});
  }
  return launched;
}

std::vector<LiveNode> Life::nodes() const {
  cli::Observer observer(world_->cluster().api(), world_->cluster().fake_aws(), world_->sim());
  std::vector<LiveNode> all;
  for (const auto& seen : observer.nodes()) {
    const auto zone = seen.node.labels.find("topology.kubernetes.io/zone");
    all.push_back({seen.name, seen.node.type, zone == seen.node.labels.end() ? "" : zone->second, seen.node.pods,
                   seen.ready && seen.initialized && !seen.deleting});
  }
  return all;
}

int Life::running_pods() const {
  int running = 0;
  const auto pods = world_->cluster().api().list({"", "pods"}, "default");
  for (const auto& pod : pods->items) {
    running += json::string_at(*pod, {"status", "phase"}) == "Running" ? 1 : 0;
  }
  return running;
}

uint64_t Life::revision() const {
  const auto nodes = world_->cluster().api().list({"", "nodes"}, "");
  return nodes ? nodes->resource_version : 0;
}

int Life::ending_pods() const {
  int ending = 0;
  const auto pods = world_->cluster().api().list({"", "pods"}, "default");
  for (const auto& pod : pods->items) ending += json::find(*pod, {"metadata", "deletionTimestamp"}) ? 1 : 0;
  return ending;
}

int Life::live_instances() const {
  int live = 0;
  for (const auto& instance : world_->cluster().fake_aws().instances()) {
    live += instance.state == "running" || instance.state == "pending" ? 1 : 0;
  }
  return live;
}

int Life::unclaimed_instances() const {
  std::set<std::string> claimed;
  const auto claims = world_->cluster().api().list({"karpenter.sh", "nodeclaims"}, "");
  for (const auto& claim : claims->items) {
    claimed.emplace(json::string_at(*claim, {"status", "providerID"}));
  }
  int unclaimed = 0;
  for (const auto& instance : world_->cluster().fake_aws().instances()) {
    const bool live = instance.state == "running" || instance.state == "pending";
    if (live && !claimed.contains("aws:///" + instance.zone + "/" + instance.id)) ++unclaimed;
  }
  return unclaimed;
}

}  // namespace tenon::simulation
