// SPDX-License-Identifier: Apache-2.0
#include "minicluster/minicluster.h"

#include <gtest/gtest.h>

#include "json/json.h"
#include "kubesim/actors/kinds.h"
#include "kubesim/actors/objects.h"
#include "runtime/live.h"
#include "runtime/sim.h"

namespace tenon::minicluster {
namespace {

json::value fake_node() {
  return json::object{
      {"apiVersion", "v1"},
      {"kind", "Node"},
      {"metadata", json::object{{"name", "n"}, {"annotations", json::object{{"kwok.x-k8s.io/node", "fake"}}}}}};
}

json::value small_pod() {
  return json::object{
      {"apiVersion", "v1"},
      {"kind", "Pod"},
      {"metadata", json::object{{"name", "p"}}},
      {"spec", json::object{{"containers", json::array{json::object{{"name", "c"}, {"image", "pause:3.7"}}}}}}};
}

bool is_running(Minicluster& cluster) {
  const auto pod = cluster.api().get(kubesim::kPods, "default", "p");
  return pod && json::string_at(**pod, {"status", "phase"}) == "Running";
}

TEST(Minicluster, RunsAPodUnderVirtualTime) {
  const auto sim = runtime::make_sim_runtime({});
  Minicluster cluster(*sim, {});
  ASSERT_TRUE(cluster.start());
  ASSERT_TRUE(cluster.api().create(kubesim::kNodes, "", fake_node()));
  ASSERT_TRUE(cluster.api().create(kubesim::kPods, "default", small_pod()));
  EXPECT_TRUE(sim->run_until([&] { return is_running(cluster); }, 1min));
}

TEST(Minicluster, RunsAPodOnRealThreads) {
  const auto live = runtime::make_live_runtime(200);
  Minicluster cluster(*live, {});
  ASSERT_TRUE(cluster.start());
  ASSERT_TRUE(cluster.api().create(kubesim::kNodes, "", fake_node()));
  ASSERT_TRUE(cluster.api().create(kubesim::kPods, "default", small_pod()));
  const std::stop_source never;
  const Instant deadline = live->now() + 1h;
  while (!is_running(cluster) && live->now() < deadline) live->sleep_for(1s, never.get_token());
  EXPECT_TRUE(is_running(cluster));
  cluster.stop();
}

TEST(Minicluster, HasKarpentersKinds) {
  const auto sim = runtime::make_sim_runtime({});
  Minicluster cluster(*sim, {});
  ASSERT_TRUE(cluster.start());
  for (const kubesim::Resource& resource :
       {kubesim::Resource{"karpenter.sh", "nodepools"}, kubesim::Resource{"karpenter.sh", "nodeclaims"},
        kubesim::Resource{"karpenter.k8s.aws", "ec2nodeclasses"}})
    EXPECT_TRUE(cluster.api().list(resource, "")) << resource.plural;
}

TEST(Minicluster, StopsTwiceAndWithoutAStart) {
  const auto sim = runtime::make_sim_runtime({});
  Minicluster cluster(*sim, {});
  cluster.stop();
  ASSERT_TRUE(cluster.start());
  sim->run_for(1s);
  cluster.stop();
  cluster.stop();
}

}  // namespace
}  // namespace tenon::minicluster
