// Each constraint that the lower bound uses: the bound equals the price of the best plan.
// SPDX-License-Identifier: Apache-2.0
#include "scheduling/bound/relaxation.h"

#include <gtest/gtest.h>

#include "model/labels.h"
#include "scheduling/bound/lower_bound.h"
#include "scheduling/input/solution.h"
#include "scheduling/input/solve_options.h"
#include "scheduling/search_state/compile.h"
#include "scheduling/testing/cluster.h"

namespace tenon::scheduling {
namespace {

using model::testing::a_pod;
using model::testing::a_pool;
using model::testing::a_type;
using model::testing::PodBuilder;
using testing::Cluster;

const std::string kHost(model::kLabelHostname), kType(model::kLabelInstanceType);

// std.2 for 0.10 and std.4 for 0.21, with 20 pods each.
std::vector<model::InstanceType> two_types() {
  const auto type = [](const char* name, const char* cpu, const char* memory, const char* usd) {
    auto t = a_type(name);
    return t.cpu(cpu).memory(memory).capacity(model::kPods, "20").offer("za", "on-demand", usd).build();
  };
  return {type("std.2", "2", "8Gi", "0.10"), type("std.4", "4", "16Gi", "0.21")};
}

Cluster with_pool() {
  Cluster c;
  c.types(two_types());
  c.pool(a_pool("default").build());
  return c;
}

PodBuilder small(const std::string& app) {
  auto pod = a_pod(app);
  return pod.cpu("100m").memory("128Mi").label("app", app);
}

model::Pod of_revision(const std::string& revision, std::optional<int> min_domains) {
  model::Pod pod = small("web").spread(kHost, "web").build();
  pod.meta.name = "web-" + revision;
  pod.meta.labels["pod-template-hash"] = revision;
  pod.spec.edit().spread.front().match_label_keys = {"pod-template-hash"};
  pod.spec.edit().spread.front().min_domains = min_domains;
  return pod;
}

struct Kept {
  const char* what;
  void (*fill)(Cluster&);
  const char* usd;  // of the best plan
};
void PrintTo(const Kept& kept, std::ostream* out) { *out << kept.what; }

constexpr Kept kKept[] = {
    {"whole pods of two resources", [](Cluster& c) { c.pending(a_pod("p").cpu("1100m").memory("5Gi").build(), 3); },
     "0.21"},
    {"requirements", [](Cluster& c) { c.pending(small("p").select(kType, "std.4").build()); }, "0.21"},
    {"requirements of any of several terms",
     [](Cluster& c) {
       c.pending(small("p")
                     .require({{kType, model::Operator::kIn, {"std.4"}, {}}})
                     .require({{kType, model::Operator::kIn, {"std.2"}, {}}})
                     .build());
     },
     "0.1"},
    {"taints",
     [](Cluster& c) {
       c.pool(a_pool("tainted").taint("dedicated").build());
       c.pool(a_pool("untainted").require(kType, {"std.4"}).build());
       c.snapshot().pools.erase(c.snapshot().pools.begin());
       c.pending(small("p").build());
     },
     "0.21"},
    {"daemons",
     [](Cluster& c) {
       c.daemon(a_pod("agent").cpu("1").memory("1Gi").tolerate("").build());
       c.pending(a_pod("p").cpu("1").memory("1Gi").build(), 3);
     },
     "0.21"},
    {"room on nodes",
     [](Cluster& c) {
       c.node({.name = "n", .type = "std.2", .zone = "za"}, {a_pod("old").cpu("1").memory("1Gi").build()});
       c.pending(a_pod("p").cpu("1").memory("4Gi").build(), 3);
     },
     "0.1"},
    {"reservations",
     [](Cluster& c) {
       std::vector<model::InstanceType> types = two_types();
       types.push_back(a_type("std.1").cpu("2").memory("8Gi").reserve("za", "cr-1", 2, "0.01").build());
       c.types(std::move(types));
       c.pending(a_pod("p").cpu("2").memory("1Gi").build(), 5);
     },
     "0.32"},
    {"pods apart", [](Cluster& c) { c.pending(small("web").without(kHost, "web").build(), 3); }, "0.3"},
    {"two pods of a spread on a host", [](Cluster& c) { c.pending(small("web").spread(kHost, "web", 2).build(), 4); },
     "0.2"},
    {"Deployments apart from themselves share hosts",
     [](Cluster& c) {
       for (const char* app : {"a", "b", "c"}) c.pending(small(app).without(kHost, app).build(), 3);
     },
     "0.3"},
    {"Deployments with a spread each share hosts",
     [](Cluster& c) {
       for (const char* app : {"a", "b"}) c.pending(small(app).spread(kHost, app, 2).build(), 4);
     },
     "0.2"},
    {"Deployments apart from themselves, of different numbers",
     [](Cluster& c) {
       c.pending(small("a").without(kHost, "a").build(), 4);
       c.pending(small("b").without(kHost, "b").build(), 1);
     },
     "0.4"},
    {"Deployments under one rule share its number",
     [](Cluster& c) {
       for (const char* app : {"a", "b"}) c.pending(small(app).label("app", "web").spread(kHost, "web").build(), 3);
     },
     "0.6"},
    {"revisions that matchLabelKeys tell apart share hosts",
     [](Cluster& c) {
       for (const char* revision : {"1", "2"}) c.pending(of_revision(revision, {}), 2);
     },
     "0.2"},
    {"minDomains does not matter by hostname",
     [](Cluster& c) {
       for (const char* revision : {"1", "2"}) c.pending(of_revision(revision, 5), 2);
     },
     "0.2"},
    {"a rule that does not count its own pod binds no other pod of it",
     [](Cluster& c) { c.pending(small("web").without(kHost, "other").build(), 5); }, "0.1"},
};

class Keeps : public ::testing::TestWithParam<Kept> {};

TEST_P(Keeps, AndNoMore) {
  Cluster c = with_pool();
  GetParam().fill(c);
  const Solution s = c.solve();
  EXPECT_TRUE(s.unschedulable.empty());
  EXPECT_EQ(model::format_usd(s.price), GetParam().usd);
  const auto bound = static_cast<double>(lower_bound(c.build(), {}, s).price.value());
  EXPECT_LE(bound, static_cast<double>(s.price.value()));
  EXPECT_NEAR(bound, static_cast<double>(s.price.value()), static_cast<double>(s.price.value()) * 1e-3);
}

INSTANTIATE_TEST_SUITE_P(Constraints, Keeps, ::testing::ValuesIn(kKept));

// The solver relaxes preferences before a pod stays pending, so the bound must not count preferences.
TEST(Relaxation, WhatIsPreferredBindsNobody) {
  Cluster c = with_pool();
  c.pending(small("web").prefer_without(10, kHost, "web").build(), 3);
  const Solution s = c.solve();
  EXPECT_LE(lower_bound(c.build(), {}, s).price, *model::parse_price("0.1"));
}

// More rules than the bound has demands for: a host still accepts one pod of each.
TEST(Relaxation, ManyDeploymentsApartFromThemselvesShareHosts) {
  Cluster c = with_pool();
  for (int i = 0; i < 200; ++i) {
    const std::string app = "app-" + std::to_string(i);
    auto pod = a_pod(app);
    pod.cpu(std::to_string(10 + i % 3) + "m").memory("16Mi").label("app", app).without(kHost, app);
    c.pending(pod.build(), 2);
  }
  const Solution s = c.solve();
  EXPECT_TRUE(s.unschedulable.empty());
  const Relaxation r = relax(compile(c.build(), {}), s);
  EXPECT_LE(r.demands.size(), 160u);
  EXPECT_LE(lower_bound(c.build(), {}, s).price, s.price);
}

// The bound is about the price of instances; a plan for a higher node price may cost more, and none costs less.
TEST(Relaxation, NodePriceIsNoPartOfTheBound) {
  Cluster c = with_pool();
  c.pending(a_pod("p").cpu("1").memory("1Gi").build(), 7);
  const SolveOptions dear{.node_price = *model::parse_price("0.05")};
  const Solution few = c.solve(dear), cheap = c.solve();
  EXPECT_LT(few.new_nodes.size(), cheap.new_nodes.size());
  EXPECT_EQ(lower_bound(c.build(), dear, few).price, lower_bound(c.build(), {}, cheap).price);
  EXPECT_LE(lower_bound(c.build(), dear, few).price, cheap.price);
}

}  // namespace
}  // namespace tenon::scheduling
