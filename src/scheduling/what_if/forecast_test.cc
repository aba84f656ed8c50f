// SPDX-License-Identifier: Apache-2.0
#include "scheduling/what_if/forecast.h"

#include <gtest/gtest.h>

#include <unordered_set>

#include "scheduling/input/solve_options.h"
#include "scheduling/search_state/compile.h"
#include "scheduling/solver.h"
#include "scheduling/testing/carry_out.h"
#include "scheduling/testing/random_cluster.h"

namespace tenon::scheduling {
namespace {

constexpr int kOrders = 20;
constexpr testing::RandomSizes kSizes{.pods = 24, .kinds = 5, .types = 4, .pools = 2, .nodes = 4};

// A cluster that runs the plan for it, without some of the pods.
Snapshot running(uint64_t seed) {
  testing::RandomCluster drawn = testing::random_cluster(seed, kSizes);
  SolveOptions options;
  options.improvement_steps = 0;
  const Snapshot& before = drawn.cluster.build();
  Snapshot snapshot = testing::carry_out(before, solve(before, options), "up-");
  snapshot.pending.clear();
  Prng prng(seed);
  for (NodeView& view : snapshot.nodes) {
    std::erase_if(view.pods.edit(), [&](const PodPtr&) { return prng.chance(1, 3); });
  }
  return snapshot;
}

Forecast::Room room_of(const Problem& problem) {
  Forecast::Room room;
  for (const PodClass& c : problem.classes) {
    RowSet nodes(problem.nodes.size());
    for (const Form& form : c.forms) {
      for (const Variant& variant : *form.variants) nodes |= variant.nodes;
    }
    room.now.push_back(nodes);
    room.soon.push_back(std::move(nodes));
  }
  return room;
}

std::vector<size_t> pods_on(const Problem& problem, const NodeView& node) {
  std::unordered_set<const model::Pod*> there;
  for (const PodPtr& pod : node.pods) there.insert(pod.get());
  std::vector<size_t> pods;
  for (size_t p = 0; p < problem.pods.size(); ++p) {
    if (there.contains(problem.pods[p].pod.get())) pods.push_back(p);
  }
  return pods;
}

TEST(Forecast, WhatAlwaysFitsIsLeftOutInNoOrder) {
  int always = 0, left_out = 0;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    const Snapshot snapshot = running(seed);
    std::unordered_set<std::string_view> all;
    for (const NodeView& node : snapshot.nodes) all.insert(node.name());
    const Problem problem = compile(snapshot, {}, all);
    Forecast forecast(State(problem), room_of(problem), {});
    Prng draw(seed);
    for (size_t node = 0; node < problem.nodes.size(); ++node) {
      std::vector<size_t> pods = pods_on(problem, *problem.nodes[node].view);
      const bool fits = forecast.always_fits({&node, 1}, pods);
      always += fits && !pods.empty() ? 1 : 0;
      for (int order = 0; order < kOrders; ++order) {
        const bool out = forecast.of({.nodes = {&node, 1}, .pods = pods, .draw = &draw}).unschedulable.has_value();
        ASSERT_FALSE(fits && out) << "seed " << seed << ", " << problem.nodes[node].name;
        left_out += out ? 1 : 0;
        for (size_t i = pods.size(); i > 1; --i) std::swap(pods[i - 1], pods[draw.below(i)]);
      }
    }
  }
  EXPECT_GT(always, 100);
  EXPECT_GT(left_out, 100);
}

}  // namespace
}  // namespace tenon::scheduling
