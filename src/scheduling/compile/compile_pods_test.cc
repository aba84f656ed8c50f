// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "scheduling/compile/problem.h"
#include "scheduling/search_state/compile.h"
#include "scheduling/testing/cluster.h"

namespace tenon::scheduling {
namespace {

TEST(CompilePods, ComeByNamespaceAndNameEachOnce) {
  testing::Cluster c;
  c.pool(model::testing::a_pool("default").build());
  Snapshot snapshot = c.build();
  std::vector<std::string> expected, found;
  for (const std::string key :
       {"shop/web-9", "shop/web-10", "shop-a/web-1", "shop/a", "shop0/web-1", "shop/web-1", "shop/web-1x", "sho/z",
        "shop/deployment-with-a-long-name-2", "shop/deployment-with-a-long-name-10", "shop/web-9"}) {
    model::Pod pod = model::testing::a_pod(key.substr(key.find('/') + 1)).build();
    pod.meta.ns = key.substr(0, key.find('/'));
    snapshot.pending.push_back(std::make_shared<model::Pod>(std::move(pod)));
    expected.push_back(key);
  }
  std::sort(expected.begin(), expected.end());
  expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
  const Problem problem = compile(snapshot, {});
  for (const PodProblem& pod : problem.pods) found.push_back(pod.pod->key());
  EXPECT_EQ(found, expected);
}

// Thousands of classes that differ in their topology rules alone have few different sets of rows.
TEST(CompilePods, EqualRequestsAndPlacesShareTheirVariants) {
  testing::Cluster c;
  c.pool(model::testing::a_pool("default").build()).types(model::testing::four_types());
  for (const std::string app : {"a", "b", "c"}) {
    const auto pod = [&](const char* name) { return model::testing::a_pod(name + app).label("app", app).cpu("1"); };
    c.pending(pod("apart-").without("kubernetes.io/hostname", app).build());
    c.pending(pod("port-").spread("kubernetes.io/hostname", app).host_port(80).build());
    c.pending(pod("zone-").select("topology.kubernetes.io/zone", "us-east-1a").label("rank", app).build());
    c.pending(pod("large-").cpu("2").spread("topology.kubernetes.io/zone", app).build());
  }
  const Snapshot& snapshot = c.build();
  for (const auto& below : {std::optional<model::Price>(), model::parse_price("0.2")}) {
    SolveOptions options;
    options.launch_below = below;
    const Problem problem = compile(snapshot, options);
    std::set<const std::vector<Variant>*> lists;
    for (const PodClass& pods : problem.classes) lists.insert(&*pods.forms.at(0).variants);
    EXPECT_GE(problem.classes.size(), 10U);
    EXPECT_EQ(lists.size(), 4U);
  }
}

TEST(CompilePods, TakeLittleMemory) { EXPECT_LE(sizeof(PodProblem), 4 * sizeof(void*)); }

}  // namespace
}  // namespace tenon::scheduling
