// SPDX-License-Identifier: Apache-2.0
#include "scheduling/testing/tiny_clusters.h"

#include "base/check.h"
#include "model/labels.h"

namespace tenon::scheduling::testing {
namespace {

using model::testing::a_pod;
using model::testing::a_pool;
using model::testing::a_type;

const std::string kZone(model::kLabelZone);
const std::string kHost(model::kLabelHostname);
const std::vector<std::string> kZones{"za", "zb"};
constexpr size_t kRules = 7, kShapes = 2 * kRules, kMostPods = 3;
constexpr size_t kCatalogs = 4, kNodes = 4, kPools = 3;

model::Pod pod_of(size_t shape, const std::string& name) {
  auto pod = a_pod(name).cpu(shape % 2 == 0 ? "400m" : "900m").label("app", "x");
  switch (shape / 2) {
    case 0: break;
    case 1: pod.spread(kZone, "x"); break;
    case 2: pod.spread(kHost, "x"); break;
    case 3: pod.without(kZone, "x"); break;
    case 4: pod.without(kHost, "x"); break;
    case 5: pod.with(kZone, "x"); break;
    case 6: pod.select(kZone, "zb"); break;
  }
  return pod.build();
}

// Shapes of the pods, ascending: equal pods are interchangeable.
const std::vector<std::vector<size_t>>& selections() {
  static const auto all = [] {
    std::vector<std::vector<size_t>> found{{}};
    for (size_t i = 0; i < found.size(); ++i) {
      const std::vector<size_t> before = found[i];
      if (before.size() == kMostPods) continue;
      for (size_t shape = before.empty() ? 0 : before.back(); shape < kShapes; ++shape) {
        found.push_back(before);
        found.back().push_back(shape);
      }
    }
    return found;
  }();
  return all;
}

std::vector<model::InstanceType> catalog(size_t number) {
  std::vector<model::InstanceType> types;
  const size_t zones = 1 + number % 2;
  const auto add = [&](const char* name, const char* cpu, const char* usd, const char* spot) {
    auto type = a_type(name);
    type.cpu(cpu).memory("8Gi");
    for (size_t z = 0; z < zones; ++z) type.offer(kZones[z], "on-demand", usd);
    type.offer(kZones[zones - 1], "spot", spot);
    types.push_back(type.build());
  };
  add("t.small", "1", "0.05", "0.03");
  if (number / 2 % 2 == 1) add("t.large", "2", "0.09", "0.08");
  return types;
}

}  // namespace

size_t tiny_clusters() { return selections().size() * kCatalogs * kNodes * kPools; }

Cluster tiny_cluster(size_t number) {
  CHECK(number < tiny_clusters());
  const auto digit = [&](size_t base) {
    const size_t value = number % base;
    number /= base;
    return value;
  };
  Cluster cluster;
  cluster.types(catalog(digit(kCatalogs)));
  auto pool = a_pool("pool");
  switch (digit(kPools)) {
    case 0: break;
    case 1: pool.limit("cpu", "2"); break;
    case 2: pool.require(std::string(model::kLabelCapacityType), {"on-demand"}); break;
  }
  cluster.pool(pool.build());
  const size_t node = digit(kNodes);
  if (node > 0) {
    std::vector<model::Pod> running;
    if (node == 2) running.push_back(a_pod("old").cpu("400m").label("app", "x").build());
    if (node == 3) running.push_back(a_pod("old").cpu("400m").without(kZone, "x").build());
    cluster.node({.name = "node", .type = "t.small", .zone = "za", .pool = "pool"}, running);
  }
  const std::vector<size_t>& shapes = selections()[number];
  for (size_t i = 0; i < shapes.size(); ++i) cluster.pending(pod_of(shapes[i], "pod-" + std::to_string(i)));
  return cluster;
}

}  // namespace tenon::scheduling::testing
