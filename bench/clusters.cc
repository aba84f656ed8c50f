// SPDX-License-Identifier: Apache-2.0
#include "clusters.h"

#include <algorithm>
#include <stdexcept>

#include "base/check.h"
#include "base/prng.h"
#include "catalog/catalog.h"
#include "disruption/testing/carry_out.h"
#include "model/labels.h"
#include "model/pod_specs.h"
#include "model/testing/builders.h"
#include "workload.h"

namespace tenon::bench {
namespace {

using model::testing::a_pod;
using model::testing::a_pool;
using scheduling::NodeView;
using scheduling::PodPtr;
using scheduling::Snapshot;

constexpr size_t kPools = 25, kManyPools = 100;
constexpr int64_t kParts = 32;  // of a packed node; pods are whole parts
const std::string kTeam = "example.com/team";

std::shared_ptr<const model::NodePool> pool(const std::string& name, const std::string& team) {
  auto builder = a_pool(name).require(std::string(model::kLabelCapacityType), {"on-demand"}).budget("100%");
  if (!team.empty()) builder.label(kTeam, team);
  return std::make_shared<model::NodePool>(builder.build());
}

const model::InstanceType& find(const std::vector<model::InstanceType>& types, std::string_view name) {
  const auto at = std::find_if(types.begin(), types.end(), [&](const auto& type) { return type.name == name; });
  CHECK(at != types.end(), std::string(name));
  return *at;
}

// Pods that run, which share their specs.
class Running {
 public:
  void put(NodeView& view, const std::string& app, int64_t cpu_milli, int64_t memory, const std::string& team) {
    auto builder = a_pod(app + "-" + std::to_string(100'000 + count_++)).label("app", app);
    builder.owner("ReplicaSet", app).running_on(view.name());
    if (!team.empty()) builder.select(kTeam, team);
    model::Pod pod = builder.build();
    pod.spec.edit().requests.set(model::kCpu, cpu_milli);
    pod.spec.edit().requests.set(model::kMemory, memory);
    pod.spec = specs_.share(std::move(pod.spec));
    view.pods.edit().push_back(std::make_shared<model::Pod>(std::move(pod)));
  }

 private:
  model::PodSpecs specs_;
  size_t count_ = 0;
};

std::string node_name(size_t index) { return "node-" + std::to_string(10'000 + index); }
std::string zone_of(size_t index) { return std::string(catalog::demo_zones()[index % 3].name); }

// The type that has the lowest price for each CPU that pods may use, of medium size.
const model::InstanceType& cheapest(const std::vector<model::InstanceType>& types) {
  const model::InstanceType* best = nullptr;
  double least = 0;
  for (const model::InstanceType& type : types) {
    if (!type.name.ends_with(".2xlarge")) continue;
    const double price = static_cast<double>(type.offerings.front().price.value()) /
                         static_cast<double>(type.allocatable().get(model::kCpu));
    if (best == nullptr || price < least) {
      best = &type;
      least = price;
    }
  }
  return *best;
}

void pack(Snapshot& snapshot, size_t nodes) {
  const auto& types = *snapshot.pools.front().types;
  const model::InstanceType& type = cheapest(types);
  const model::Resources room = type.allocatable();
  const int64_t cpu = room.get(model::kCpu) / kParts, memory = room.get(model::kMemory) / kParts;
  Prng prng(7);
  Running running;
  for (size_t n = 0; n < nodes; ++n) {
    const size_t which = n % snapshot.pools.size();
    const std::string team = snapshot.pools.size() == 1 ? "" : std::to_string(which);
    NodeView view = disruption::testing::a_node(node_name(n), *snapshot.pools[which].pool, type, zone_of(n));
    for (int64_t left = kParts; left > 0;) {
      const int64_t parts = std::min<int64_t>(left, prng.between(1, 4));
      const std::string app = "app-" + team + "-" + std::to_string(parts) + "-" + std::to_string(prng.below(10));
      running.put(view, app, parts * cpu, parts * memory, team);
      left -= parts;
    }
    snapshot.nodes.push_back(std::move(view));
  }
}

void fill(Snapshot& snapshot, size_t nodes, int64_t percent) {
  const auto& types = *snapshot.pools.front().types;
  const char* const kTypes[] = {"m5.2xlarge", "c5.2xlarge", "r5.2xlarge", "m5.4xlarge", "c6i.xlarge", "m6i.xlarge"};
  struct App {
    int64_t cpu, memory;
  };
  Prng prng(11);
  std::vector<App> apps;
  for (int i = 0; i < 40; ++i) {
    const int64_t cpu = 50 * prng.between(2, 30);
    apps.push_back({cpu, (cpu * prng.between(10, 60) / 10) << 20});
  }
  Running running;
  for (size_t n = 0; n < nodes; ++n) {
    const model::InstanceType& type = find(types, kTypes[prng.below(std::size(kTypes))]);
    const size_t which = n % snapshot.pools.size();
    const std::string team = snapshot.pools.size() == 1 ? "" : std::to_string(which);
    NodeView view = disruption::testing::a_node(node_name(n), *snapshot.pools[which].pool, type, zone_of(n));
    const model::Resources room = type.allocatable();
    const int64_t cpu = room.get(model::kCpu) * percent / 100, memory = room.get(model::kMemory) * percent / 100;
    int64_t used_cpu = 0, used_memory = 0;
    for (int misses = 0; misses < 8;) {
      const size_t app = prng.below(apps.size());
      if (used_cpu + apps[app].cpu > cpu || used_memory + apps[app].memory > memory) {
        ++misses;
        continue;
      }
      used_cpu += apps[app].cpu;
      used_memory += apps[app].memory;
      running.put(view, "app-" + std::to_string(100 + app), apps[app].cpu, apps[app].memory, team);
    }
    snapshot.nodes.push_back(std::move(view));
  }
}

}  // namespace

Snapshot cluster(const std::string& name, size_t nodes) {
  Snapshot snapshot;
  snapshot.now = model::testing::kNow;
  const auto types = std::make_shared<const std::vector<model::InstanceType>>(types_of(Types::kGeneral));
  const bool huge = name.starts_with("huge");
  if (name == "pools" || huge) {
    for (size_t p = 0; p < (huge ? kManyPools : kPools); ++p) {
      snapshot.pools.push_back({pool("pool-" + std::to_string((huge ? 100 : 10) + p), std::to_string(p)), types, ""});
    }
  } else {
    snapshot.pools.push_back({pool("default", ""), types, ""});
  }
  if (name == "packed" || name == "pools") {
    pack(snapshot, nodes);
  } else if (name.starts_with("fill") || huge) {
    fill(snapshot, nodes, std::stoll(name.substr(4)));
  } else {
    throw std::invalid_argument("no cluster " + name);
  }
  for (NodeView& view : snapshot.nodes) {
    std::vector<PodPtr>& pods = view.pods.edit();
    std::sort(pods.begin(), pods.end(), [](const auto& a, const auto& b) { return a->key() < b->key(); });
  }
  scheduling::index_types(snapshot);
  return snapshot;
}

}  // namespace tenon::bench
