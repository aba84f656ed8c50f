// SPDX-License-Identifier: Apache-2.0
#include "workload.h"

#include <algorithm>
#include <cctype>
#include <stdexcept>

#include "catalog/catalog.h"
#include "catalog/formulas.h"
#include "model/labels.h"
#include "model/testing/builders.h"
#include "pods.h"
#include "scheduling/input/snapshot.h"

namespace tenon::bench {
namespace {

using model::testing::a_pod;
using model::testing::a_pool;
using model::testing::a_type;
using scheduling::Snapshot;

constexpr int kTypes = 400;
const std::string kZone(model::kLabelZone);

std::vector<model::InstanceType> made_up_types() {
  std::vector<model::InstanceType> types;
  types.reserve(kTypes);
  for (int cpu = 1; cpu <= kTypes; ++cpu) {
    auto type = a_type("fake-it-" + std::to_string(cpu - 1));
    type.cpu(std::to_string(cpu)).memory(std::to_string(2 * cpu) + "Gi").capacity("pods", std::to_string(10 * cpu));
    type.overhead("cpu", "100m").overhead("memory", "10Mi");
    // A tenth of a dollar per CPU and per 10^9 bytes.
    const int64_t price =
        cpu * (model::kPicoPerUsd / 10 + 2 * (int64_t{1} << 30) * (model::kPicoPerUsd / 10'000'000'000));
    const std::string usd = model::format_usd(model::Price(price));
    for (const char* zone : {"test-zone-1", "test-zone-2"}) type.offer(zone, "spot", usd);
    for (const char* zone : {"test-zone-1", "test-zone-2", "test-zone-3"}) type.offer(zone, "on-demand", usd);
    types.push_back(type.build());
  }
  return types;
}

using Choose = bool (*)(const catalog::InstanceFacts&);

bool plain_amd64(const catalog::InstanceFacts& facts) {
  return facts.gpus.empty() && !facts.accelerator && !facts.bare_metal && facts.arch == "amd64" && facts.vcpus >= 2;
}

// The families that Karpenter's documentation starts with: c, m and r.
bool general(const catalog::InstanceFacts& facts) {
  const std::string_view name = facts.name;
  return plain_amd64(facts) && name.size() > 1 && (name[0] == 'c' || name[0] == 'm' || name[0] == 'r') &&
         std::isdigit(static_cast<unsigned char>(name[1])) != 0;
}

// True for types of generation 3 and later, which Karpenter's documentation proposes for a first NodePool.
bool current(const catalog::InstanceFacts& facts) { return general(facts) && facts.name[1] >= '3'; }

bool any(const catalog::InstanceFacts&) { return true; }

std::vector<model::InstanceType> real_types(Choose choose) {
  std::vector<model::InstanceType> types;
  types.reserve(catalog::all_instance_types().size());
  for (const catalog::InstanceFacts& facts : catalog::all_instance_types()) {
    if (!choose(facts) || !facts.on_demand) continue;
    const auto overhead = catalog::overhead_of(facts, {});
    if (!overhead) continue;
    auto type = a_type(facts.name).build();
    type.capacity = catalog::capacity_of(facts, {});
    type.overhead = overhead->total();
    type.offerings.reserve(catalog::demo_zones().size());
    for (const catalog::Zone& zone : catalog::demo_zones()) {
      model::Offering offering;
      offering.zone = zone.name;
      offering.zone_id = zone.id;
      offering.capacity_type = model::kCapacityOnDemand;
      offering.price = *facts.on_demand;
      type.offerings.push_back(offering);
    }
    types.push_back(std::move(type));
  }
  return types;
}

// Nodes of 16 CPUs that are about two thirds full.
std::vector<scheduling::NodeView> running(size_t nodes, size_t pods_each) {
  std::vector<scheduling::NodeView> views;
  const model::Resources room =
      a_pod("room").cpu("15890m").memory("57Gi").request("pods", "234").build().spec->requests;
  std::vector<model::Pod> pods;
  for (size_t p = 0; p < pods_each; ++p) {
    pods.push_back(
        a_pod("run").label("app", "run-" + std::to_string(p)).cpu("500m").memory("2Gi").running_on("").build());
  }
  for (size_t n = 0; n < nodes; ++n) {
    model::Node node;
    node.meta.name = "node-" + std::to_string(10'000 + n);
    node.meta.labels[std::string(model::kLabelHostname)] = node.meta.name;
    node.meta.labels[std::string(model::kLabelZone)] = catalog::demo_zones()[n % 3].name;
    node.meta.labels[std::string(model::kLabelInstanceType)] = "m5.4xlarge";
    node.capacity = node.allocatable = room;
    scheduling::NodeView view;
    view.node = std::make_shared<model::Node>(std::move(node));
    for (size_t p = 0; p < pods_each; ++p) {
      pods[p].meta.name = "run-" + std::to_string(n) + "-" + std::to_string(p);
      pods[p].node_name = view.node->meta.name;
      view.pods.edit().push_back(std::make_shared<model::Pod>(pods[p]));
    }
    views.push_back(std::move(view));
  }
  return views;
}

// A node as it is in a cluster, with the labels that the cloud and the autoscaler set.
model::Node labelled_node(size_t number) {
  model::Node node;
  node.meta.name = "ip-10-0-" + std::to_string(number / 250) + "-" + std::to_string(number % 250) + ".ec2.internal";
  const auto set = [&](std::string_view key, std::string_view value) { node.meta.labels[std::string(key)] = value; };
  set(model::kLabelHostname, node.meta.name);
  set(model::kLabelZone, catalog::demo_zones()[number % 3].name);
  set(model::kLabelZoneId, catalog::demo_zones()[number % 3].id);
  set(model::kLabelRegion, "us-east-1");
  set(model::kLabelInstanceType, "m5.4xlarge");
  set(model::kLabelArch, "amd64");
  set(model::kLabelOs, "linux");
  set(model::kLabelCapacityType, model::kCapacityOnDemand);
  set(model::kLabelNodePool, "default");
  set(model::kLabelNodeClass, "default");
  set(model::kLabelRegistered, "true");
  set(model::kLabelInitialized, "true");
  set(model::kLabelCategory, "m");
  set(model::kLabelFamily, "m5");
  set(model::kLabelGeneration, "5");
  set(model::kLabelSize, "4xlarge");
  node.capacity = node.allocatable =
      a_pod("room").cpu("15890m").memory("57Gi").request("pods", "234").build().spec->requests;
  return node;
}

// 10,000 of them with 24 pods and six daemons each: 300,000 pods.
void crowd(Snapshot& snapshot) {
  constexpr size_t kNodes = 10'000, kPodsEach = 24, kDaemons = 6, kApps = 1'000;
  std::vector<model::Pod> apps, daemons;
  const auto add = [&](std::vector<model::Pod>& to, const std::string& name, const std::string& owner) {
    to.push_back(
        a_pod(name).label("app", name).label("pod-template-hash", name).label("tier", "web").cpu("500m").build());
    to.back().meta.owners = {{"apps/v1", owner, name, name, true, true}};
    to.back().phase = "Running";
  };
  for (size_t a = 0; a < kApps; ++a) add(apps, "app-" + std::to_string(1'000 + a), "ReplicaSet");
  for (size_t d = 0; d < kDaemons; ++d) {
    add(daemons, "agent-" + std::to_string(d), "DaemonSet");
    model::DaemonSet set;
    set.pod_template = daemons.back();
    set.meta = set.pod_template.meta;
    snapshot.daemon_sets.push_back(std::make_shared<model::DaemonSet>(std::move(set)));
  }
  for (size_t n = 0; n < kNodes; ++n) {
    scheduling::NodeView view;
    view.node = std::make_shared<model::Node>(labelled_node(n));
    std::vector<scheduling::PodPtr> pods;
    const auto run = [&](model::Pod pod) {
      pod.meta.name += "-" + std::to_string(100'000 + n);
      pod.node_name = view.node->meta.name;
      pods.push_back(std::make_shared<model::Pod>(std::move(pod)));
    };
    for (const model::Pod& daemon : daemons) run(daemon);
    for (size_t p = 0; p < kPodsEach; ++p) run(apps[(n * kPodsEach + p) % kApps]);
    std::sort(pods.begin(), pods.end(), [](const auto& a, const auto& b) { return a->key() < b->key(); });
    view.pods = std::move(pods);
    snapshot.nodes.push_back(std::move(view));
  }
  std::sort(snapshot.nodes.begin(), snapshot.nodes.end(),
            [](const auto& a, const auto& b) { return a.name() < b.name(); });
}

// Replicas of one of its deployments, each too large for what is left on any node.
Pods one_more(size_t count) {
  Pods pods;
  for (size_t i = 0; i < count; ++i) {
    auto pod = a_pod("app-1500-new-" + std::to_string(100'000 + i)).label("app", "app-1500").label("tier", "web");
    pods.push_back(std::make_shared<model::Pod>(pod.cpu("2").memory("4Gi").spread(kZone, "app-1500").build()));
  }
  return pods;
}

model::DaemonSet daemon(const std::string& name, const std::string& cpu, const std::string& memory) {
  model::DaemonSet set;
  set.pod_template = a_pod(name).cpu(cpu).memory(memory).build();
  set.meta = set.pod_template.meta;
  return set;
}

using DaemonSets = std::vector<std::shared_ptr<const model::DaemonSet>>;

DaemonSets shared(std::initializer_list<model::DaemonSet> sets) {
  DaemonSets all;
  for (const model::DaemonSet& set : sets) all.push_back(std::make_shared<model::DaemonSet>(set));
  return all;
}

// Six DaemonSets of the kinds that most clusters run on each node: logs, metrics, network, proxy, security, storage.
DaemonSets usual_daemons() {
  return shared({daemon("logs", "150m", "200Mi"), daemon("metrics", "100m", "180Mi"), daemon("network", "50m", "64Mi"),
                 daemon("proxy", "100m", "64Mi"), daemon("security", "200m", "256Mi"),
                 daemon("storage", "50m", "120Mi")});
}

}  // namespace

std::vector<model::InstanceType> types_of(Types kind) {
  switch (kind) {
    case Types::kMadeUp: return made_up_types();
    case Types::kGeneral: return real_types(general);
    case Types::kCurrent: return real_types(current);
    case Types::kPlainAmd64: return real_types(plain_amd64);
    case Types::kAll: break;
  }
  return real_types(any);
}

Snapshot workload(const std::string& name, size_t count) {
  Snapshot snapshot;
  snapshot.now = model::testing::kNow;
  std::vector<model::InstanceType> types;
  Pods& pods = snapshot.pending;
  if (name == "diverse") {
    types = types_of(Types::kMadeUp);
    pods = diverse_pods(count);
  } else if (name == "fleet") {
    types = types_of(Types::kPlainAmd64);
    pods = deployments(count, 20, 42);
    snapshot.daemon_sets = shared({daemon("node-agent", "150m", "200Mi"), daemon("log-agent", "100m", "150Mi")});
  } else if (name == "realplain" || name == "realdiverse") {
    types = types_of(Types::kCurrent);
    pods = name == "realplain" ? plain_pods(count) : diverse_pods(count);
    snapshot.daemon_sets = usual_daemons();
  } else if (name == "plain") {
    types = types_of(Types::kGeneral);
    pods = plain_pods(count);
  } else if (name.starts_with("mix")) {
    types = types_of(Types::kGeneral);
    pods = deployments(count, 20, std::stoull(name.substr(3)));
  } else if (name == "large") {
    types = types_of(Types::kAll);
    pods = deployments(count, 200, 42);
  } else if (name == "huge") {
    types = types_of(Types::kAll);
    pods = deployments(count, 2'000, 42);
  } else if (name == "one-more") {
    types = types_of(Types::kGeneral);
    pods = one_more(count);
    crowd(snapshot);
  } else if (name == "preference") {
    types = types_of(Types::kMadeUp);
    pods = preferring_pods(count);
  } else if (name == "apart") {
    types = types_of(Types::kMadeUp);
    pods = apart_pods(count);
  } else if (name == "existing") {
    types = types_of(Types::kGeneral);
    pods = deployments(count, 100, 42);
    snapshot.nodes = running(5'000, 20);
  } else {
    throw std::invalid_argument("no workload " + name);
  }
  auto pool = a_pool("default").limit("cpu", "1000000000").limit("memory", "1000000000Gi").build();
  snapshot.pools.push_back({std::make_shared<model::NodePool>(std::move(pool)),
                            std::make_shared<std::vector<model::InstanceType>>(std::move(types)), ""});
  std::sort(pods.begin(), pods.end(), [](const auto& a, const auto& b) { return a->key() < b->key(); });
  return snapshot;
}

}  // namespace tenon::bench
