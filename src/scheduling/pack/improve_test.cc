// Plans that become cheaper: compared with counting where pods are equal, and with first fit everywhere.
// SPDX-License-Identifier: Apache-2.0
#include "scheduling/pack/improve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/labels.h"
#include "scheduling/answer/finish.h"
#include "scheduling/check/check_solution.h"
#include "scheduling/input/solution.h"
#include "scheduling/input/solve_options.h"
#include "scheduling/pack/pack.h"
#include "scheduling/search_state/compile.h"
#include "scheduling/search_state/first_fit.h"
#include "scheduling/testing/random_cluster.h"

namespace tenon::scheduling {
namespace {

using model::testing::a_pod;
using model::testing::a_pool;
using model::testing::a_type;
using testing::Cluster;
using testing::launched_types;
using testing::random_cluster;
using testing::RandomCluster;

const std::string kHost(model::kLabelHostname);
const std::string kZone(model::kLabelZone);

model::InstanceType plain_type(const std::string& name, const std::string& cpu, const std::string& usd) {
  return a_type(name).cpu(cpu).memory("64Gi").offer("z", "on-demand", usd).build();
}

Solution floor_of(Cluster& c) {
  SolveOptions first_fit;
  first_fit.improvement_steps = 0;
  return c.solve(first_fit);
}

TEST(Improve, TwoSmallNodesForLessThanOneLarge) {
  Cluster c;
  c.types({plain_type("large", "16", "0.23"), plain_type("small", "8", "0.09")});
  c.pool(a_pool("default").build());
  c.daemon(a_pod("agent").cpu("3").build());
  c.pending(a_pod("p").cpu("1").build(), 10);
  EXPECT_EQ(launched_types(floor_of(c)), "large");
  EXPECT_EQ(launched_types(c.solve()), "small×2");
}

TEST(Improve, APriceForEachNodeMakesFewer) {
  Cluster c;
  c.types({plain_type("large", "16", "0.23"), plain_type("small", "8", "0.09")});
  c.pool(a_pool("default").build());
  c.pending(a_pod("p").cpu("1").build(), 16);
  EXPECT_EQ(launched_types(c.solve()), "small×2");
  SolveOptions options;
  options.node_price = *model::parse_price("0.06");
  EXPECT_EQ(launched_types(c.solve(options)), "large");
}

// Two families whose prices determine those of a CPU and a GiB; nodes are large beside pods, and a daemon makes small
// nodes expensive.
TEST(Improve, LargeNodesHardlyLoseAnything) {
  Cluster c;
  std::vector<model::InstanceType> types;
  for (const int size : {1, 2, 4, 8, 12, 16, 24, 48}) {
    const auto offer = [&](const char* family, int memory, double usd) {
      const std::string name = family + std::to_string(size);
      auto type = a_type(name).cpu(std::to_string(2 * size)).memory(std::to_string(memory * size) + "Gi");
      type.capacity("pods", "700").offer("z", "on-demand", std::to_string(usd * size));
      types.push_back(type.build());
    };
    offer("c", 4, 0.085);
    offer("m", 8, 0.096);
  }
  c.types(types).pool(a_pool("default").build());
  c.daemon(a_pod("agent").cpu("650m").memory("900Mi").build());
  int64_t cpu = 0, memory = 0;
  int next = 0;
  for (const int milli : {100, 250, 500, 1000, 1500}) {
    for (const int mebi : {100, 256, 512, 1024, 2048, 4096}) {
      const int pods = 60 + 20 * (next % 3);
      auto pod = a_pod("p" + std::to_string(next++));
      c.pending(pod.cpu(std::to_string(milli) + "m").memory(std::to_string(mebi) + "Mi").build(), pods);
      cpu += int64_t{milli} * pods;
      memory += int64_t{mebi} * pods;
    }
  }
  // 2 CPUs and 4 GiB for 0.085, 2 and 8 for 0.096.
  const double least = static_cast<double>(cpu) / 1000 * 0.037 + static_cast<double>(memory) / 1024 * 0.00275;
  const Solution s = c.solve();
  EXPECT_LT(static_cast<double>(s.price.value()) / model::kPicoPerUsd, least * 1.015);
  EXPECT_LT(s.steps, 60'000);
}

// A plan for one node price is also a plan for another one. After a single search at the requested price, the plans of
// each row are beaten by 0.5 to 0.7 %.
TEST(Improve, NoPlanIsBeatenByThatOfAnotherNodePrice) {
  for (const auto& [sizes, pods, families] : {std::tuple{20, 500, 3}, {90, 900, 6}, {200, 1000, 6}}) {
    Prng prng(2);
    Cluster c;
    std::vector<model::InstanceType> types;
    for (int family = 0; family < families; ++family) {
      const int memory = 2 << (family % 3);
      const double usd = 0.034 + 0.0042 * memory / (family < 3 ? 1 : 1.1);
      for (const int cpu : {1, 2, 4, 8, 16, 32, 48}) {
        auto type = a_type("f" + std::to_string(family) + "-" + std::to_string(cpu)).cpu(std::to_string(cpu));
        type.memory(std::to_string(cpu * memory) + "Gi").offer("z", "on-demand", std::to_string(usd * cpu));
        types.push_back(type.build());
      }
    }
    c.types(types).pool(a_pool("default").build());
    c.daemon(a_pod("agent").cpu("250m").memory("350Mi").build());
    for (int i = 0; i < sizes; ++i) {
      auto pod = a_pod("p" + std::to_string(i)).cpu(std::to_string(prng.between(2, 80) * 50) + "m");
      pod.memory(std::to_string(prng.between(2, 120) * 128) + "Mi");
      c.pending(pod.build(), pods / sizes);
    }
    std::vector<std::pair<model::Price, Solution>> plans;
    for (const char* price : {"0", "0.0022", "0.005", "0.01", "0.02"}) {
      SolveOptions options;
      options.node_price = *model::parse_price(price);
      plans.emplace_back(options.node_price, c.solve(options));
    }
    const auto cost = [](const Solution& s, model::Price node_price) {
      return static_cast<double>(s.price.value() + node_price.value() * static_cast<int64_t>(s.new_nodes.size()));
    };
    for (const auto& [price, plan] : plans) {
      for (const auto& [other_price, other] : plans) {
        EXPECT_LE(cost(plan, price), 1.0045 * cost(other, price))
            << sizes << " sizes at " << model::format_usd(price) << ", beaten by " << model::format_usd(other_price);
      }
    }
  }
}

TEST(Improve, EqualPodsCostTheLeastThatCountingFinds) {
  Prng prng(7);
  for (int round = 0; round < 60; ++round) {
    const int64_t asked = prng.between(2, 9) * 100;
    const int pods = static_cast<int>(prng.between(7, 120));
    std::vector<model::InstanceType> types;
    std::vector<std::pair<int, model::Price>> kinds;
    for (int t = 0; t < 5; ++t) {
      const int64_t cpu = prng.between(1, 32), price = cpu * prng.between(30, 60);
      const model::Price usd(price * 1'000'000'000);
      types.push_back(plain_type("t" + std::to_string(t), std::to_string(cpu), model::format_usd(usd)));
      kinds.emplace_back(static_cast<int>(cpu * 1000 / asked), usd);
    }
    std::vector<model::Price> best{model::Price{}};
    for (int n = 1; n <= pods; ++n) {
      model::Price least(INT64_MAX);
      for (const auto& [fits, usd] : kinds) {
        const int covered = std::min(fits, 110);  // pods that fit on a node
        if (covered > 0) least = std::min(least, best[static_cast<size_t>(std::max(0, n - covered))] + usd);
      }
      best.push_back(least);
    }
    Cluster c;
    c.types(types).pool(a_pool("default").build());
    c.pending(a_pod("p").cpu(std::to_string(asked) + "m").build(), pods);
    ASSERT_EQ(c.solve().price, best.back()) << "round " << round << ": " << pods << " pods of " << asked << "m";
  }
}

TEST(Improve, NeverDearerNeverFewerPods) {
  int cheaper = 0;
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    RandomCluster c = random_cluster(seed, {.pods = 60, .kinds = 8, .types = 8, .pools = 3, .nodes = 3});
    const Snapshot& snapshot = c.cluster.build();
    const Problem problem = compile(snapshot, {});
    State plan(problem);
    FirstFit(plan).place(pods_in_order(problem, PodOrder::kSize));
    const Objective before = objective(plan);
    const int64_t steps = improve(plan, 100'000);
    const Objective after = objective(plan);
    ASSERT_LE(after, before) << "seed " << seed;
    ASSERT_LE(steps, 110'000) << "seed " << seed;
    ASSERT_EQ(plan.price(), finish(plan).price) << "seed " << seed;
    ASSERT_TRUE(check_solution(snapshot, {}, finish(plan)).has_value()) << "seed " << seed;
    if (after < before) ++cheaper;
  }
  EXPECT_GT(cheaper, 100);
}

TEST(Improve, RulesByZoneAndHostHold) {
  Cluster c;
  c.pool(a_pool("default").build());
  c.pending(a_pod("spread").cpu("300m").label("app", "s").spread(kZone, "s").build(), 12);
  c.pending(a_pod("alone").cpu("200m").label("app", "a").without(kHost, "a").build(), 9);
  c.pending(a_pod("few").cpu("100m").label("app", "f").spread(kHost, "f", 2).build(), 11);
  c.pending(a_pod("plain").cpu("600m").build(), 25);
  const Solution s = c.solve();  // checks every rule
  EXPECT_LT(s.price, floor_of(c).price);
  EXPECT_TRUE(s.unschedulable.empty());
}

TEST(Pack, BothWaysHoldAllPodsAndExactIsNoDearer) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    RandomCluster c = random_cluster(seed, {.pods = 24, .kinds = 3, .types = 6, .pools = 1, .nodes = 1});
    const Problem problem = compile(c.cluster.build(), {});
    State plan(problem);
    FirstFit(plan).place(pods_in_order(problem, PodOrder::kSize));
    const Packing packing(plan);
    Counts counts;
    for (size_t k = 0; k < packing.kinds().size(); ++k) {
      counts.push_back({k, static_cast<int>(packing.kinds()[k].pods.size())});
    }
    if (counts.empty()) continue;
    Budget enough{int64_t{1} << 40};
    const auto exact = pack_exactly(packing, counts, enough);
    const auto greedy = pack_greedily(packing, counts, 4, enough);
    ASSERT_TRUE(exact && greedy) << "seed " << seed;
    ASSERT_LE(cost_of(packing, *exact), cost_of(packing, *greedy)) << "seed " << seed;
    ASSERT_LE(cost_of(packing, *exact), cost_of(packing, packing.packs())) << "seed " << seed;
    for (const auto& packs : {*exact, *greedy}) {
      std::map<size_t, int> held;
      for (const Pack& pack : packs) {
        for (const Content& content : pack.contents) held[content.kind] += content.count;
      }
      for (const Content& content : counts) ASSERT_EQ(held[content.kind], content.count) << "seed " << seed;
      const auto state = packing.realise(packs);
      ASSERT_TRUE(state.has_value() || c.limits) << "seed " << seed;
    }
    Budget none{3};
    EXPECT_FALSE(pack_greedily(packing, counts, 4, none) && pack_exactly(packing, counts, none)) << "seed " << seed;
  }
}

// Small pods, each on a node of its own, and many sizes of others. Placed by size, the small ones would come last, on
// nodes without other pods.
TEST(Improve, PodsThatAreKeptApartHaveNodesThatOthersFill) {
  Cluster c;
  c.pool(a_pool("default").require(std::string(model::kLabelCapacityType), {"on-demand"}).build());
  for (int i = 0; i < 70; ++i) {
    const std::string name = "size-" + std::to_string(i);
    c.pending(a_pod(name).cpu(std::to_string(300 + 10 * i) + "m").memory(std::to_string(500 + 30 * i) + "Mi").build());
  }
  c.pending(a_pod("web").label("app", "web").cpu("100m").memory("128Mi").without(kHost, "web").build(), 60);
  const Solution s = c.solve();
  EXPECT_TRUE(s.unschedulable.empty());
  EXPECT_EQ(launched_types(s), "c5.large×60");
}

// First fit fills the largest nodes, which cost up to five times as much for the same room.
TEST(Improve, ManyKindsOfPodsDoNotStayOnTheDearNodesOfFirstFit) {
  Cluster c;
  std::vector<model::InstanceType> types;
  for (int tenths = 20; tenths < 80; tenths += 2) {  // GiB for a CPU
    for (int cpu = 4, size = 0; cpu <= 512; cpu *= 2, ++size) {
      auto type = a_type("m" + std::to_string(tenths) + "." + std::to_string(cpu)).cpu(std::to_string(cpu));
      type.memory(std::to_string(cpu * tenths / 10) + "Gi");
      types.push_back(
          type.offer("us-east-1a", "on-demand", std::to_string(cpu * (0.02 + tenths / 1e4) * (1 + 0.5 * size)))
              .build());
    }
  }
  c.types(types);
  c.pool(a_pool("default").build());
  constexpr int kKinds = 1'000, kPods = 8;
  int64_t milli = 0;
  for (int i = 0; i < kKinds; ++i) {
    auto pod = a_pod("app-" + std::to_string(i)).cpu(std::to_string(200 + 2 * i) + "m");
    if (i % 100 == 0) pod.label("app", "apart").without(kHost, "apart");
    c.pending(pod.memory(std::to_string(500 + 4 * (i * 37 % kKinds)) + "Mi").build(), kPods);
    milli += kPods * (200 + 2 * i);
  }
  const Solution s = c.solve();
  EXPECT_TRUE(s.unschedulable.empty());
  const model::Price on_small(milli * (model::kPicoPerUsd / 40'000));
  EXPECT_LT(s.price.value(), on_small.value() / 100 * 115);
}

}  // namespace
}  // namespace tenon::scheduling
