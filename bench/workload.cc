// SPDX-License-Identifier: Apache-2.0
#include "workload.h"

#include <algorithm>
#include <cctype>
#include <stdexcept>

#include "base/prng.h"
#include "catalog/catalog.h"
#include "catalog/formulas.h"
#include "json/json.h"
#include "model/labels.h"
#include "model/testing/builders.h"

namespace tenon::bench {
namespace {

using model::testing::a_pod;
using model::testing::a_pool;
using model::testing::a_type;
using model::testing::PodBuilder;
using scheduling::Snapshot;

const std::string kZone(model::kLabelZone);
const std::string kHost(model::kLabelHostname);
constexpr int kTypes = 400;

std::vector<model::InstanceType> made_up_types() {
  std::vector<model::InstanceType> types;
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

class Diverse {
 public:
  std::vector<model::Pod> pods(size_t count) {
    const size_t share = count / 5;
    for (size_t i = 0; i < share; ++i) add(labelled());
    for (const std::string& key : {kZone, kHost}) {
      for (size_t i = 0; i < share; ++i) {
        PodBuilder pod = labelled();
        add(pod.spread(key, "x"), letter());
      }
    }
    for (size_t i = 0; i < share; ++i) {
      const std::string value = letter();
      PodBuilder pod = next();
      add(pod.label("my-affininity", value).with(kZone, value), value, "my-affininity");
    }
    for (size_t i = 0; i < share; ++i) {
      PodBuilder pod = next();
      add(pod.label("app", "nginx").without(kHost, "nginx"));
    }
    while (pods_.size() < count) add(labelled());
    return std::move(pods_);
  }
  std::vector<model::Pod> plain(size_t count) {
    while (pods_.size() < count) add(labelled());
    return std::move(pods_);
  }

 private:
  PodBuilder next() { return a_pod("pod-" + std::to_string(100'000 + pods_.size())); }
  PodBuilder labelled() {
    PodBuilder pod = next();
    pod.label("my-label", letter());
    return pod;
  }
  std::string letter() { return std::string(1, static_cast<char>('a' + prng_.below(7))); }
  // Selectors of the pod's rules become key=value, if a value is given.
  void add(PodBuilder builder, const std::string& value = "", const std::string& key = "my-label") {
    static const std::vector<int> kCpus{100, 250, 500, 1000, 1500}, kMemories{100, 256, 512, 1024, 2048, 4096};
    builder.cpu(std::to_string(kCpus[prng_.below(kCpus.size())]) + "m");
    builder.memory(std::to_string(kMemories[prng_.below(kMemories.size())]) + "Mi");
    model::Pod pod = builder.build();
    if (!value.empty()) {
      for (auto& spread : pod.spread) spread.selector = model::LabelSelector{{{key, value}}, {}};
      for (auto& term : pod.affinity.required_pods) term.selector = model::LabelSelector{{{key, value}}, {}};
    }
    pods_.push_back(std::move(pod));
  }

  Prng prng_{42};
  std::vector<model::Pod> pods_;
};

using Choose = bool (*)(const catalog::InstanceFacts&);

bool plain_amd64(const catalog::InstanceFacts& facts) {
  return !facts.gpu && !facts.accelerator && !facts.bare_metal && facts.arch == "amd64" && facts.vcpus >= 2;
}

// The families that Karpenter's documentation starts with: c, m and r.
bool general(const catalog::InstanceFacts& facts) {
  const std::string_view name = facts.name;
  return plain_amd64(facts) && name.size() > 1 && (name[0] == 'c' || name[0] == 'm' || name[0] == 'r') &&
         std::isdigit(static_cast<unsigned char>(name[1])) != 0;
}

bool any(const catalog::InstanceFacts&) { return true; }

std::vector<model::InstanceType> real_types(Choose choose) {
  std::vector<model::InstanceType> types;
  for (const catalog::InstanceFacts& facts : catalog::all_instance_types()) {
    if (!choose(facts) || !facts.on_demand) continue;
    const auto overhead = catalog::overhead_of(facts, {});
    if (!overhead) continue;
    auto type = a_type(facts.name).build();
    type.capacity = catalog::capacity_of(facts, {});
    type.overhead = overhead->total();
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

std::vector<model::Pod> deployments(size_t count, size_t number, uint64_t seed) {
  Prng prng(seed);
  std::vector<model::Pod> pods;
  for (size_t d = 0; d < number; ++d) {
    const int64_t cpu = 50 * prng.between(2, 60), memory = cpu * prng.between(5, 80) / 10;
    const size_t replicas = count / number + (d < count % number ? 1 : 0);
    for (size_t i = 0; i < replicas; ++i) {
      const std::string app = "app-" + std::to_string(100 + d);
      auto pod = a_pod(app + "-" + std::to_string(100'000 + i));
      pod.label("app", app).cpu(std::to_string(cpu) + "m").memory(std::to_string(memory) + "Mi");
      pods.push_back(pod.build());
    }
  }
  return pods;
}

// Karpenter's own: all want the first zone and a host of their own, which they can have, and a zone of their own, which
// they cannot.
std::vector<model::Pod> preferring(size_t count) {
  std::vector<model::Pod> pods;
  const model::RequirementSpec first_zone{kZone, model::Operator::kIn, {"test-zone-1"}, std::nullopt};
  for (size_t i = 0; i < count; ++i) {
    auto pod = a_pod("pod-" + std::to_string(100'000 + i));
    pod.label("app", "nginx").cpu("500m").memory("1Gi").prefer(1, {first_zone});
    pods.push_back(pod.prefer_without(10, kZone, "nginx").prefer_without(1, kHost, "nginx").build());
  }
  return pods;
}

// Deployments of ten: none of its pods beside another of its own on a host, and spread over the zones.
std::vector<model::Pod> apart(size_t count) {
  std::vector<model::Pod> pods = deployments(count, std::max<size_t>(1, count / 10), 42);
  for (model::Pod& pod : pods) {
    const std::string& app = pod.meta.labels.at("app");
    const model::Pod rules = a_pod("rules").spread(kZone, app).without(kHost, app).build();
    pod.spread = rules.spread;
    pod.affinity = rules.affinity;
  }
  return pods;
}

// Nodes of 16 CPUs that are about two thirds full.
std::vector<scheduling::NodeView> running(size_t nodes, size_t pods_each) {
  std::vector<scheduling::NodeView> views;
  for (size_t n = 0; n < nodes; ++n) {
    model::Node node;
    node.meta.name = "node-" + std::to_string(10'000 + n);
    node.meta.labels[kHost] = node.meta.name;
    node.meta.labels[kZone] = catalog::demo_zones()[n % 3].name;
    node.meta.labels[std::string(model::kLabelInstanceType)] = "m5.4xlarge";
    const model::Pod room = a_pod("room").cpu("15890m").memory("57Gi").request("pods", "234").build();
    node.capacity = node.allocatable = room.requests;
    scheduling::NodeView view;
    view.node = std::make_shared<model::Node>(std::move(node));
    for (size_t p = 0; p < pods_each; ++p) {
      auto pod = a_pod("run-" + std::to_string(n) + "-" + std::to_string(p));
      pod.label("app", "run-" + std::to_string(p)).cpu("500m").memory("2Gi").running_on(view.node->meta.name);
      view.pods.push_back(std::make_shared<model::Pod>(pod.build()));
    }
    views.push_back(std::move(view));
  }
  return views;
}

model::DaemonSet daemon(const std::string& name, const std::string& cpu, const std::string& memory) {
  model::DaemonSet set;
  set.pod_template = a_pod(name).cpu(cpu).memory(memory).build();
  set.meta = set.pod_template.meta;
  return set;
}

json::object selector_of(const std::optional<model::LabelSelector>& selector) {
  json::object out;
  for (const auto& [key, value] : selector->match_labels) out[key] = value;
  return out;
}

json::object resources_of(const model::Resources& resources) {
  return {{"cpuMilli", resources.get(model::kCpu)},
          {"memory", resources.get(model::kMemory)},
          {"pods", resources.get(model::kPods)}};
}

json::object pod_of(const model::Pod& pod) {
  json::object out{{"name", pod.meta.name}, {"requests", resources_of(pod.requests)}};
  json::object labels;
  for (const auto& [key, value] : pod.meta.labels) labels[key] = value;
  out["labels"] = std::move(labels);
  const auto rules = [&](const char* name, const auto& list) {
    json::array rows;
    for (const auto& rule : list) {
      rows.push_back(json::object{{"key", rule.topology_key}, {"labels", selector_of(rule.selector)}});
    }
    if (!rows.empty()) out[name] = std::move(rows);
  };
  rules("spread", pod.spread);
  rules("affinity", pod.affinity.required_pods);
  rules("antiAffinity", pod.affinity.required_anti_pods);
  json::array zones, apart;
  for (const auto& term : pod.affinity.preferred_node_terms) {
    zones.push_back(
        json::object{{"weight", term.weight}, {"zone", term.term.match_expressions.front().values.front()}});
  }
  for (const auto& [weight, term] : pod.affinity.preferred_anti_pods) {
    apart.push_back(
        json::object{{"weight", weight}, {"key", term.topology_key}, {"labels", selector_of(term.selector)}});
  }
  if (!zones.empty()) out["preferZone"] = std::move(zones);
  if (!apart.empty()) out["preferApart"] = std::move(apart);
  return out;
}

}  // namespace

Snapshot workload(const std::string& name, size_t count) {
  Snapshot snapshot;
  snapshot.now = model::testing::kNow;
  std::vector<model::Pod> pods;
  std::vector<model::InstanceType> types;
  if (name == "diverse") {
    types = made_up_types();
    pods = Diverse().pods(count);
  } else if (name == "fleet") {
    types = real_types(plain_amd64);
    pods = deployments(count, 20, 42);
    for (const auto& set : {daemon("node-agent", "150m", "200Mi"), daemon("log-agent", "100m", "150Mi")}) {
      snapshot.daemon_sets.push_back(std::make_shared<model::DaemonSet>(set));
    }
  } else if (name == "plain") {
    types = real_types(general);
    pods = Diverse().plain(count);
  } else if (name.starts_with("mix")) {
    types = real_types(general);
    pods = deployments(count, 20, std::stoull(name.substr(3)));
  } else if (name == "large") {
    types = real_types(any);
    pods = deployments(count, 200, 42);
  } else if (name == "preference") {
    types = made_up_types();
    pods = preferring(count);
  } else if (name == "apart") {
    types = made_up_types();
    pods = apart(count);
  } else if (name == "existing") {
    types = real_types(general);
    pods = deployments(count, 100, 42);
    snapshot.nodes = running(5'000, 20);
  } else {
    throw std::invalid_argument("no workload " + name);
  }
  auto pool = a_pool("default").limit("cpu", "1000000000").limit("memory", "1000000000Gi").build();
  snapshot.pools.push_back({std::make_shared<model::NodePool>(std::move(pool)),
                            std::make_shared<std::vector<model::InstanceType>>(std::move(types)), ""});
  snapshot.pending.reserve(pods.size());
  for (model::Pod& pod : pods) snapshot.pending.push_back(std::make_shared<model::Pod>(std::move(pod)));
  std::sort(snapshot.pending.begin(), snapshot.pending.end(),
            [](const auto& a, const auto& b) { return a->key() < b->key(); });
  return snapshot;
}

std::string as_json(const Snapshot& snapshot) {
  json::object root;
  json::array types, daemons, pods;
  for (const model::InstanceType& type : *snapshot.pools.front().types) {
    json::array offerings;
    for (const model::Offering& o : type.offerings) {
      offerings.push_back(json::object{{"zone", o.zone},
                                       {"capacityType", o.capacity_type},
                                       {"price", static_cast<double>(o.price.value()) / model::kPicoPerUsd}});
    }
    types.push_back(json::object{{"name", type.name},
                                 {"capacity", resources_of(type.capacity)},
                                 {"overhead", resources_of(type.overhead)},
                                 {"offerings", std::move(offerings)}});
  }
  for (const auto& set : snapshot.daemon_sets) daemons.push_back(pod_of(set->pod_template));
  for (const auto& pod : snapshot.pending) pods.push_back(pod_of(*pod));
  root["types"] = std::move(types);
  root["daemons"] = std::move(daemons);
  root["pods"] = std::move(pods);
  return boost::json::serialize(root);
}

}  // namespace tenon::bench
