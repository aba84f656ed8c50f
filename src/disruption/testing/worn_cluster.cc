// SPDX-License-Identifier: Apache-2.0
#include "disruption/testing/worn_cluster.h"

#include <algorithm>

#include "base/prng.h"
#include "disruption/required_savings.h"
#include "disruption/testing/carry_out.h"
#include "model/labels.h"
#include "scheduling/input/solution.h"
#include "scheduling/input/solve_options.h"
#include "scheduling/testing/carry_out.h"

namespace tenon::disruption::testing {
namespace {

using model::testing::a_pod;
using model::testing::a_type;
using model::testing::PoolBuilder;
using scheduling::NodeView;
using scheduling::PodPtr;
using scheduling::Snapshot;
using scheduling::Solution;

// Compute, general and memory types of four sizes, at prices of us-east-1.
std::vector<model::InstanceType> types() {
  std::vector<model::InstanceType> all;
  for (const auto& [family, gib_per_cpu, milli_usd] : {std::tuple{"c5", 2, 85}, {"m5", 4, 96}, {"r5", 8, 126}}) {
    int times = 1;
    for (const char* size : {"large", "xlarge", "2xlarge", "4xlarge"}) {
      auto type = a_type(std::string(family) + "." + size);
      type.cpu(std::to_string(2 * times)).memory(std::to_string(2 * times * gib_per_cpu) + "Gi");
      type.overhead("cpu", "100m").overhead("memory", "500Mi");
      type.offer("us-east-1a", "on-demand", model::format_usd(model::Price(milli_usd * times * 1'000'000'000LL)));
      all.push_back(type.build());
      times *= 2;
    }
  }
  return all;
}

struct App {
  std::string name;
  int64_t cpu_milli, memory_mib;
};

std::vector<App> apps(Prng& prng) {
  std::vector<App> all;
  for (int i = 0; i < 8; ++i) {
    const int64_t cpu = 50 * prng.between(2, 30);
    all.push_back({"app-" + std::to_string(i), cpu, cpu * prng.between(10, 60) / 10});
  }
  return all;
}

// Pods of some apps that use up to `percent` of the node.
std::vector<model::Pod> pods(Prng& prng, const std::string& node, const std::vector<App>& apps,
                             const model::Resources& room, int64_t percent) {
  int64_t cpu = room.get(model::kCpu) * percent / 100, mib = (room.get(model::kMemory) >> 20) * percent / 100;
  std::vector<model::Pod> all;
  for (int misses = 0; misses < 4;) {
    const App& app = apps[prng.below(apps.size())];
    if (app.cpu_milli > cpu || app.memory_mib > mib) {
      ++misses;
      continue;
    }
    cpu -= app.cpu_milli;
    mib -= app.memory_mib;
    auto pod = a_pod(node + "-" + std::to_string(all.size())).owner("ReplicaSet", app.name).label("app", app.name);
    pod.cpu(std::to_string(app.cpu_milli) + "m").memory(std::to_string(app.memory_mib) + "Mi");
    all.push_back(pod.build());
  }
  return all;
}

}  // namespace

Snapshot worn_cluster(uint64_t seed, int nodes) {
  Prng prng(seed);
  scheduling::testing::Cluster cluster;
  const auto all_types = types();
  cluster.types(all_types);
  const std::vector<App> all_apps = apps(prng);
  const auto pools = static_cast<uint64_t>(prng.between(1, 2));
  for (uint64_t p = 0; p < pools; ++p) {
    PoolBuilder drawn("pool-" + std::to_string(p));
    drawn.budget(std::vector<std::string>{"100%", "100%", "40%", "3"}[prng.below(4)]);
    if (prng.chance(1, 4)) drawn.budget("2", {"Underutilized"});
    model::NodePool pool = drawn.build();
    if (prng.chance(1, 6)) pool.meta.annotations[std::string(kDisruptionPrice)] = "0.01";
    cluster.pool(std::move(pool));
  }
  const int64_t fullest = prng.between(30, 100);
  for (int n = 0; n < nodes; ++n) {
    const std::string name = "node-" + std::to_string(100 + n);
    const model::InstanceType& type = all_types[prng.below(all_types.size())];
    cluster.node({.name = name, .type = type.name, .pool = "pool-" + std::to_string(prng.below(pools))},
                 pods(prng, name, all_apps, type.allocatable(), prng.between(8, fullest)));
  }
  return cluster.build();
}

Snapshot half_gone(uint64_t seed, const scheduling::testing::RandomSizes& sizes) {
  auto drawn = scheduling::testing::random_cluster(seed, sizes);
  scheduling::SolveOptions options;
  options.improvement_steps = 0;
  const Snapshot& before = drawn.cluster.build();
  const Solution plan = solve(before, options);
  const Snapshot up = scheduling::testing::carry_out(before, plan, "up-");
  Snapshot snapshot = before;
  snapshot.pending.clear();
  snapshot.nodes.clear();
  for (auto& view : snapshot.pools) {
    model::NodePool pool = *view.pool;
    pool.budgets = {{.nodes = "100%"}};
    view.pool = std::make_shared<model::NodePool>(pool);
  }
  Prng prng(seed);
  for (const NodeView& view : up.nodes) {
    const auto labels = view.labels();
    const auto pool = std::find_if(snapshot.pools.begin(), snapshot.pools.end(),
                                   [&](const auto& p) { return p.pool->meta.name == view.pool(); });
    const auto& types = *pool->types;
    const auto type = std::find_if(types.begin(), types.end(), [&](const auto& t) {
      return t.name == model::lookup(labels, model::kLabelInstanceType);
    });
    NodeView node = a_node(view.name(), *pool->pool, *type, std::string(model::lookup(labels, model::kLabelZone)),
                           std::string(model::lookup(labels, model::kLabelCapacityType)));
    for (const PodPtr& pod : view.pods) {
      if (prng.chance(1, 2)) node.pods.edit().push_back(pod);
    }
    snapshot.nodes.push_back(std::move(node));
  }
  std::sort(snapshot.nodes.begin(), snapshot.nodes.end(),
            [](const NodeView& a, const NodeView& b) { return a.name() < b.name(); });
  return snapshot;
}

}  // namespace tenon::disruption::testing
