// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

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

}  // namespace
}  // namespace tenon::scheduling
