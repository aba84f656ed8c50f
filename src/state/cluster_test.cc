// SPDX-License-Identifier: Apache-2.0
#include "state/cluster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/loopback_transport.h"
#include "kube/testing/fake_api.h"
#include "runtime/sim.h"

namespace tenon::state {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kPods = "/api/v1/pods";
constexpr const char* kNodes = "/api/v1/nodes";
constexpr const char* kClaims = "/apis/karpenter.sh/v1/nodeclaims";
constexpr const char* kPools = "/apis/karpenter.sh/v1/nodepools";

std::string claim(const std::string& name, const std::string& provider_id) {
  return R"({"metadata":{"name":")" + name +
         R"(","labels":{"karpenter.sh/nodepool":"default"}},"spec":{"requirements":[]},)" +
         R"("status":{"providerID":")" + provider_id + R"(","allocatable":{"cpu":"2"}}})";
}
std::string node(const std::string& name, const std::string& provider_id, const std::string& labels) {
  return R"({"metadata":{"name":")" + name + R"(","labels":{)" + labels + R"(}},"spec":{"providerID":")" + provider_id +
         R"("},"status":{"allocatable":{"cpu":"2"}}})";
}
std::string pod(const std::string& name, const std::string& on, const std::string& phase = "Running") {
  return R"({"metadata":{"namespace":"ns","name":")" + name + R"("},"spec":{"nodeName":")" + on +
         R"("},"status":{"phase":")" + phase + "\"}}";
}
std::string pending(const std::string& name) {
  return R"({"metadata":{"namespace":"ns","name":")" + name +
         R"("},"spec":{},"status":{"phase":"Pending","conditions":[)" +
         R"({"type":"PodScheduled","status":"False","reason":"Unschedulable"}]}})";
}
constexpr const char* kManaged = R"("karpenter.sh/nodepool":"default","node.kubernetes.io/instance-type":"m5.large",)"
                                 R"("karpenter.sh/registered":"true")";

class ClusterTest : public testing::Test {
 protected:
  ClusterTest()
      : sim_(runtime::make_sim_runtime({})),
        api_(*sim_),
        transport_(http::make_loopback_transport({{"api", &api_}})),
        client_(kube::make_client(*sim_, *transport_, {.server = "http://api"})),
        cluster_(*sim_, *client_, ledger_, {.types_of = [](const model::NodePool& pool) {
          return PoolTypes{std::make_shared<std::vector<model::InstanceType>>(), pool.ready() ? "" : "is not ready"};
        }}) {}
  void start() {
    cluster_.types_asked();
    cluster_.start();
    settle();
  }
  void settle() { sim_->run_for(1s); }
  static std::vector<std::string> names(const scheduling::Snapshot& s) {
    std::vector<std::string> out;
    for (const auto& view : s.nodes) out.push_back((view.node ? "n:" : "c:") + view.name());
    return out;
  }
  static const scheduling::NodeView& view(const scheduling::Snapshot& s, const std::string& name) {
    for (const auto& v : s.nodes) {
      if (v.name() == name) return v;
    }
    static const scheduling::NodeView kNone;
    ADD_FAILURE() << name << " is not in the snapshot";
    return kNone;
  }

  std::unique_ptr<runtime::SimRuntime> sim_;
  kube::testing::FakeApi api_;
  std::unique_ptr<http::Transport> transport_;
  std::unique_ptr<kube::Client> client_;
  Ledger ledger_{*sim_};
  Cluster cluster_;
};

TEST_F(ClusterTest, AClaimIsFoundByTheIdOfItsInstance) {
  api_.put(kClaims, claim("c1", "aws:///a/i-1"));
  api_.put(kClaims, claim("c2", ""));
  start();
  ASSERT_NE(cluster_.claim_with_instance_id("i-1"), nullptr);
  EXPECT_EQ(cluster_.claim_with_instance_id("i-1")->meta.name, "c1");
  EXPECT_EQ(cluster_.claim_with_instance_id("i-2"), nullptr);
  EXPECT_EQ(cluster_.claim_with_instance_id(""), nullptr);
  api_.remove(kClaims, "c1");
  settle();
  EXPECT_EQ(cluster_.claim_with_instance_id("i-1"), nullptr);
}

TEST_F(ClusterTest, WhatOtherProvidersManageIsNotSeenAndTheirNodesAreForeign) {
  ClusterOptions options;
  options.types_of = [](const model::NodePool&) { return PoolTypes(); };
  options.manages = [](const model::NodeClassRef& ref) { return ref.kind == "EC2NodeClass"; };
  Cluster cluster(*sim_, *client_, ledger_, std::move(options));
  const auto with_class = [](const std::string& name, const std::string& kind, const std::string& status) {
    const std::string ref = R"("nodeClassRef":{"kind":")" + kind + R"("})";
    return R"({"metadata":{"name":")" + name + R"("},"spec":{)" + ref + R"(,"template":{"spec":{)" + ref +
           R"(}}},"status":{)" + status + "}}";
  };
  api_.put(kClaims, with_class("ours", "EC2NodeClass", R"("providerID":"aws:///a/i-1")"));
  api_.put(kClaims, with_class("theirs", "AKSNodeClass", R"("providerID":"azure:///1")"));
  api_.put(kPools, with_class("ours", "EC2NodeClass", ""));
  api_.put(kPools, with_class("theirs", "AKSNodeClass", ""));
  const std::string type = R"("node.kubernetes.io/instance-type":"t")", pool = R"("karpenter.sh/nodepool":"p",)" + type;
  api_.put(kNodes, node("claimed", "aws:///a/i-1", pool));
  api_.put(kNodes, node("labelled", "aws:///a/i-2", R"("karpenter.k8s.aws/ec2nodeclass":"default",)" + pool));
  api_.put(kNodes, node("theirs", "azure:///1", pool));
  api_.put(kNodes, node("nobodys", "", type));
  cluster.start();
  settle();
  EXPECT_EQ(cluster.claim_with_provider_id("azure:///1"), nullptr);
  const scheduling::Snapshot s = cluster.snapshot();
  ASSERT_EQ(s.pools.size(), 1u);
  EXPECT_EQ(s.pools[0].pool->meta.name, "ours");
  EXPECT_THAT(names(s), ElementsAre("n:claimed", "n:labelled", "n:nobodys", "n:theirs"));
  EXPECT_FALSE(view(s, "theirs").managed());
  const auto what = [&](const std::string& name) {
    const model::Node& node = *cluster.nodes.get(name);
    return std::string(cluster.manages(node) ? "ours" : "") + (cluster.foreign(node) ? "foreign" : "");
  };
  EXPECT_EQ(what("claimed"), "ours");
  EXPECT_EQ(what("labelled"), "ours");
  EXPECT_EQ(what("theirs"), "foreign");
  EXPECT_EQ(what("nobodys"), "");
}

TEST_F(ClusterTest, TheHolderOfTheTurnIsAlone) {
  start();
  std::optional<Turn> turn = ledger_.take_turn(ledger_.turns());
  EXPECT_FALSE(cluster_.synced());
  std::optional<Instant> synced_at;
  const auto waiter = sim_->spawn("waiter", [&](const std::stop_token& stop) {
    if (cluster_.await_synced(stop)) synced_at = sim_->now();
  });
  sim_->run_for(1min);
  EXPECT_FALSE(synced_at);
  const Instant ended = sim_->now();
  turn.reset();
  sim_->run_for(1s);
  EXPECT_EQ(synced_at, ended) << "it is notified, it does not poll";
}

TEST_F(ClusterTest, AnExpectedClaimIsAwaitedNoLongerThanItsTime) {
  start();
  model::NodeClaim expected;
  expected.meta.name = "c1";
  const Instant begun = sim_->now();
  ledger_.expect(expected);
  std::optional<Instant> synced_at;
  const auto waiter = sim_->spawn("waiter", [&](const std::stop_token& stop) {
    if (cluster_.await_synced(stop)) synced_at = sim_->now();
  });
  sim_->run_for(1min);
  EXPECT_EQ(synced_at, begun + kExpectFor);
}

TEST_F(ClusterTest, NodesAndClaimsAreOneByProviderId) {
  api_.put(kClaims, claim("c1", "aws:///a/i-1"));
  api_.put(kClaims, claim("c2", "aws:///a/i-2"));
  api_.put(kNodes, node("n1", "aws:///a/i-1", kManaged));
  api_.put(kNodes, node("foreign", "", ""));
  start();
  const scheduling::Snapshot s = cluster_.snapshot();
  EXPECT_THAT(names(s), ElementsAre("c:c2", "n:foreign", "n:n1"));
  EXPECT_EQ(view(s, "n1").claim->meta.name, "c1");
  EXPECT_FALSE(view(s, "foreign").managed());
  EXPECT_EQ(view(s, "c2").allocatable().get(model::kCpu), 2000);
  EXPECT_EQ(cluster_.nodes_with_provider_id("aws:///a/i-1").at(0)->meta.name, "n1");
  EXPECT_EQ(cluster_.claim_with_provider_id("aws:///a/i-2")->meta.name, "c2");
  EXPECT_EQ(cluster_.claim_with_provider_id("aws:///a/i-9"), nullptr);
  api_.remove(kClaims, "c2");
  api_.remove(kNodes, "n1");
  settle();
  EXPECT_THAT(names(cluster_.snapshot()), ElementsAre("c:c1", "n:foreign"));
  EXPECT_EQ(cluster_.claim_with_provider_id("aws:///a/i-2"), nullptr);
  EXPECT_THAT(cluster_.nodes_with_provider_id("aws:///a/i-1"), IsEmpty());
}

TEST_F(ClusterTest, AJoiningNodeCountsOnceItsTypeIsKnown) {
  api_.put(kClaims, claim("c1", "aws:///a/i-1"));
  api_.put(kNodes, node("n1", "", R"("karpenter.sh/nodepool":"default")"));
  start();
  EXPECT_THAT(names(cluster_.snapshot()), ElementsAre("c:c1"));
  api_.put(kNodes, node("n1", "aws:///a/i-1", R"("karpenter.sh/nodepool":"default")"));
  settle();
  EXPECT_THAT(names(cluster_.snapshot()), ElementsAre("c:c1"));
  api_.put(kNodes, node("n1", "aws:///a/i-1", kManaged));
  settle();
  EXPECT_THAT(names(cluster_.snapshot()), ElementsAre("n:n1"));
}

TEST_F(ClusterTest, PodsFollowTheirNode) {
  api_.put(kNodes, node("n1", "", ""));
  api_.put(kPods, pod("b", "n1"));
  api_.put(kPods, pod("a", "n1"));
  api_.put(kPods, pod("done", "n1", "Succeeded"));
  api_.put(kPods, pending("p"));
  start();
  scheduling::Snapshot s = cluster_.snapshot();
  ASSERT_EQ(view(s, "n1").pods.size(), 2u);
  EXPECT_EQ(view(s, "n1").pods[0]->key(), "ns/a");
  EXPECT_EQ(cluster_.pods_on("n1").size(), 3u);
  ASSERT_EQ(s.pending.size(), 1u);
  EXPECT_EQ(s.pending[0]->key(), "ns/p");
  api_.put(kPods, pod("p", "n1"));
  api_.remove(kPods, "ns/a");
  settle();
  s = cluster_.snapshot();
  EXPECT_THAT(s.pending, IsEmpty());
  ASSERT_EQ(view(s, "n1").pods.size(), 2u);
  EXPECT_EQ(view(s, "n1").pods[1]->key(), "ns/p");
}

TEST_F(ClusterTest, SyncedNeedsEveryListAndTheTypesAndNoInstance) {
  api_.put(kClaims, claim("c1", ""));
  cluster_.start();
  settle();
  EXPECT_TRUE(cluster_.caches_synced());
  EXPECT_FALSE(cluster_.synced()) << "nobody knows what can be launched";
  cluster_.types_asked();
  EXPECT_TRUE(cluster_.synced()) << "a launch that is open counts as what is expected of it";
}

// The time of a snapshot belongs to its nodes, however long the types take.
TEST_F(ClusterTest, NothingBlocksBetweenLookingAtTheNodesAndTheTimeOfTheSnapshot) {
  ClusterOptions options;
  options.types_of = [this](const model::NodePool&) {
    sim_->sleep_for(18s, {});
    return PoolTypes();
  };
  Cluster cluster(*sim_, *client_, ledger_, std::move(options));
  api_.put(kPools, R"({"metadata":{"name":"a"}})");
  cluster.start();
  settle();
  std::optional<scheduling::Snapshot> seen;
  const Instant begun = sim_->now();
  const auto look = sim_->spawn("look", [&](const std::stop_token&) { seen = cluster.snapshot(); });
  sim_->run_for(10s);
  api_.put(kNodes, node("late", "", ""));
  sim_->run_for(10s);
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->now, begun + 18s);
  EXPECT_THAT(names(*seen), ElementsAre("n:late"));
}

TEST_F(ClusterTest, AReleasedDrainWaitsForTheLaunchesThatAreOpen) {
  std::vector<std::string> released;
  ledger_.on_drain_released([&](const std::string& claim) { released.push_back(claim); });
  api_.put(kClaims, claim("open", ""));
  start();
  ledger_.hold_drain("c1", sim_->now() + 20s);
  ledger_.release_drain("c1");
  EXPECT_TRUE(ledger_.drain_held_until("c1"));
  EXPECT_THAT(released, IsEmpty());
  api_.put(kClaims, claim("later", ""));
  api_.put(kClaims, claim("open", "aws:///a/i-1"));
  settle();
  EXPECT_FALSE(ledger_.drain_held_until("c1"));
  EXPECT_THAT(released, ElementsAre("c1"));
  ledger_.hold_drain("c2", sim_->now() + 20s);
  ledger_.release_drain("c2");
  EXPECT_TRUE(ledger_.drain_held_until("c2"));
  sim_->run_for(20s);
  EXPECT_FALSE(ledger_.drain_held_until("c2")) << "its own time is up";
}

TEST_F(ClusterTest, AnExpectedClaimCountsUntilItIsSeenOrGivenUp) {
  start();
  EXPECT_TRUE(cluster_.synced());
  model::NodeClaim expected;
  expected.meta.name = "c1";
  ledger_.expect(expected);
  EXPECT_FALSE(cluster_.synced());
  EXPECT_THAT(names(cluster_.snapshot()), ElementsAre("c:c1"));
  api_.put(kClaims, claim("c1", "aws:///a/i-1"));
  settle();
  EXPECT_TRUE(cluster_.synced());
  EXPECT_THAT(names(cluster_.snapshot()), ElementsAre("c:c1"));
  ledger_.expect(expected);  // the answer to the create arrived after the watch event
  EXPECT_TRUE(cluster_.synced());

  expected.meta.name = "c2";  // deleted before it was observed
  ledger_.expect(expected);
  sim_->run_for(14s);
  EXPECT_FALSE(cluster_.synced());
  sim_->run_for(2s);
  EXPECT_TRUE(cluster_.synced());
  EXPECT_THAT(names(cluster_.snapshot()), ElementsAre("c:c1"));
}

TEST_F(ClusterTest, NominationsRunOutAndMarksDoNot) {
  api_.put(kClaims, claim("c1", "aws:///a/i-1"));
  api_.put(kNodes, node("n1", "aws:///a/i-1", kManaged));
  start();
  ledger_.nominate("c1");
  ledger_.mark("c1", "n1");
  EXPECT_TRUE(view(cluster_.snapshot(), "n1").nominated);
  EXPECT_TRUE(view(cluster_.snapshot(), "n1").deleting());
  sim_->run_for(19s);
  EXPECT_TRUE(view(cluster_.snapshot(), "n1").nominated);
  sim_->run_for(2s);
  EXPECT_FALSE(view(cluster_.snapshot(), "n1").nominated);
  EXPECT_TRUE(view(cluster_.snapshot(), "n1").marked_for_deletion);
  ledger_.unmark("c1");
  EXPECT_FALSE(view(cluster_.snapshot(), "n1").deleting());
  ledger_.nominate("n1");
  EXPECT_TRUE(view(cluster_.snapshot(), "n1").nominated);
}

// It is counted by change; the other way walks all nodes.
TEST_F(ClusterTest, WhatAPoolUsesIsWhatItsNodesSay) {
  const auto agree = [&](int64_t nodes, const std::vector<std::string>& waiting) {
    for (const PoolUse& use : {cluster_.pool_use("default"), pool_use("default", cluster_.node_views())}) {
      EXPECT_EQ(use.settled.get("nodes"), nodes);
      std::vector<std::string> names;
      for (const auto& [name, claim] : use.waiting) names.push_back(name);
      EXPECT_EQ(names, waiting);
    }
    EXPECT_EQ(cluster_.pool_use("default").settled, pool_use("default", cluster_.node_views()).settled);
  };
  for (const char* number : {"1", "2", "3"}) {
    api_.put(kClaims, claim("c" + std::string(number), "aws:///a/i-" + std::string(number)));
    api_.put(kNodes, node("n" + std::string(number), "aws:///a/i-" + std::string(number), kManaged));
  }
  api_.put(kClaims, claim("open", ""));
  api_.put(kNodes, node("n4", "aws:///a/i-4", kManaged));
  start();
  agree(3, {"open"});
  ledger_.mark("c1", "n1");
  agree(2, {"open"});
  model::NodeClaim expected;
  expected.meta.name = "expected";
  expected.meta.labels["karpenter.sh/nodepool"] = "default";
  ledger_.expect(expected);
  agree(2, {"expected", "open"});
  expected.meta.name = "joined";
  expected.provider_id = "aws:///a/i-4";
  ledger_.expect(expected);
  agree(3, {"expected", "open"});
  api_.put(kClaims, claim("open", "aws:///a/i-5"));
  api_.remove(kClaims, "c2");
  settle();
  agree(3, {"expected"});
  EXPECT_EQ(cluster_.pool_use("other").settled, model::Resources());
}

TEST_F(ClusterTest, PoolsComeWithWhatTheyCanLaunch) {
  api_.put(kPools, R"({"metadata":{"name":"b"},"status":{"conditions":[{"type":"Ready","status":"True"}]}})");
  api_.put(kPools, R"({"metadata":{"name":"a"}})");
  start();
  const scheduling::Snapshot s = cluster_.snapshot();
  ASSERT_EQ(s.pools.size(), 2u);
  EXPECT_EQ(s.pools[0].pool->meta.name, "a");
  EXPECT_EQ(s.pools[0].not_ready, "is not ready");
  EXPECT_EQ(s.pools[1].not_ready, "");
}

TEST_F(ClusterTest, ALiveDaemonPodStandsForItsTemplate) {
  api_.put("/apis/apps/v1/daemonsets",
           R"({"metadata":{"namespace":"kube-system","name":"agent","uid":"d1"},"spec":{"template":{"spec":{
             "containers":[{"name":"a","resources":{"requests":{"cpu":"100m"}}}]}}}})");
  start();
  EXPECT_EQ(cluster_.snapshot().daemon_sets.at(0)->pod_template.spec->requests.get(model::kCpu), 100);
  const auto live = [](const std::string& name, const std::string& created, const std::string& cpu) {
    return R"({"metadata":{"namespace":"kube-system","name":")" + name + R"(","creationTimestamp":")" + created +
           R"(","ownerReferences":[{"kind":"DaemonSet","name":"agent","uid":"d1","controller":true}]},
             "spec":{"nodeName":"n1","affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{
             "nodeSelectorTerms":[{"matchFields":[{"key":"metadata.name","operator":"In","values":["n1"]}]}]}}},
             "containers":[{"name":"a","resources":{"requests":{"cpu":")" +
           cpu + R"("}}}]}})";
  };
  api_.put(kPods, live("agent-1", "2026-09-01T12:00:00Z", "150m"));
  api_.put(kPods, live("agent-0", "2026-09-01T13:00:00Z", "200m"));
  settle();
  const auto set = cluster_.snapshot().daemon_sets.at(0);
  EXPECT_EQ(set->pod_template.spec->requests.get(model::kCpu), 200);
  EXPECT_TRUE(set->pod_template.spec->affinity.required_node_terms.empty());
  EXPECT_EQ(set->pod_template.node_name, "");
  api_.put(kPods, live("agent-2", "2026-09-01T14:00:00Z", "a lot"));  // unreadable
  settle();
  EXPECT_EQ(cluster_.snapshot().daemon_sets.at(0)->pod_template.spec->requests.get(model::kCpu), 200);
}

std::vector<std::string> words(const std::vector<Obstacle>& obstacles) {
  std::vector<std::string> out;
  for (const Obstacle& one : obstacles) out.push_back(one.kind + " " + one.name + ": " + one.what);
  return out;
}

TEST_F(ClusterTest, AKindThatMayNotBeListedIsNamed) {
  api_.put(kClaims, claim("c1", "aws:///a/i-1"));
  api_.forget_kind(kPools, true);
  start();
  EXPECT_FALSE(cluster_.caches_synced());
  EXPECT_FALSE(cluster_.trusted());
  EXPECT_THAT(words(cluster_.cache_obstacles()),
              ElementsAre("NodePool : list nodepools: the server could not find the requested resource (is the "
                          "CustomResourceDefinition installed?)"));
  api_.forget_kind(kPools, false);
  sim_->run_for(1min);
  EXPECT_TRUE(cluster_.caches_synced());
  EXPECT_TRUE(cluster_.trusted());
}

TEST_F(ClusterTest, ACacheThatHasNotFollowedForHalfAMinuteIsNotTrusted) {
  start();
  api_.fail_next(100, 503);  // about thirteen caches, each for about seven attempts
  api_.end_watches();
  sim_->run_for(20s);
  EXPECT_TRUE(cluster_.trusted());
  sim_->run_for(15s);
  EXPECT_FALSE(cluster_.trusted());
  EXPECT_TRUE(cluster_.caches_synced());
  EXPECT_THAT(words(cluster_.cache_obstacles()), testing::Contains("Node : watch nodes: HTTP 503"));
  sim_->run_for(5min);
  EXPECT_TRUE(cluster_.trusted());
}

TEST_F(ClusterTest, AKindThatVanishesIsNotTrustedAndKeepsItsObjects) {
  api_.put(kNodes, node("n1", "aws:///a/i-1", kManaged));
  start();
  api_.forget_kind(kNodes, true);
  api_.end_watches();
  sim_->run_for(1min);
  EXPECT_FALSE(cluster_.trusted());
  EXPECT_THAT(names(cluster_.snapshot()), ElementsAre("n:n1"));
  ASSERT_EQ(cluster_.cache_obstacles().size(), 1u);
  EXPECT_EQ(cluster_.cache_obstacles()[0].kind, "Node");
}

TEST_F(ClusterTest, LaunchesThatAreOpenAreNamedAndHoldUpNothing) {
  api_.put(kClaims, claim("c1", "aws:///a/i-1"));
  api_.put(kClaims, claim("c2", ""));
  start();
  EXPECT_TRUE(cluster_.synced());
  EXPECT_THAT(words(cluster_.state_obstacles()), ElementsAre("NodeClaim c2: has no provider id yet"));
  EXPECT_THAT(words(cluster_.cache_obstacles()), IsEmpty());
}

// An unreadable Pod remains on its Node; one with an unreadable nodeName is part of every decision.
TEST_F(ClusterTest, UnreadablePodsStay) {
  api_.put(kNodes, node("n1", "aws:///a/i-1", kManaged));
  api_.put(kPods, R"({"metadata":{"namespace":"ns","name":"a"},"spec":{"nodeName":"n1","priority":"high"}})");
  api_.put(kPods, R"({"metadata":{"namespace":"ns","name":"b"},"spec":{"nodeName":1}})");
  start();
  const scheduling::Snapshot s = cluster_.snapshot();
  ASSERT_EQ(view(s, "n1").pods.size(), 1u);
  EXPECT_EQ(view(s, "n1").pods[0]->meta.name, "a");
  ASSERT_EQ(s.pending.size(), 1u);
  EXPECT_EQ(s.pending[0]->meta.name, "b");
}

TEST_F(ClusterTest, AnUnreadableBudgetCoversItsNamespace) {
  api_.put("/apis/policy/v1/poddisruptionbudgets",
           R"({"metadata":{"namespace":"ns","name":"b"},"spec":{"selector":"app=a"},)"
           R"("status":{"disruptionsAllowed":3}})");
  start();
  const scheduling::Snapshot s = cluster_.snapshot();
  ASSERT_EQ(s.disruption_budgets.size(), 1u);
  EXPECT_EQ(s.disruption_budgets[0]->disruptions_allowed, 0);
  ASSERT_TRUE(s.disruption_budgets[0]->selector);
  EXPECT_TRUE(s.disruption_budgets[0]->selector->matches({{"any", "label"}}));
}

TEST_F(ClusterTest, AnUnreadablePoolLaunchesNothing) {
  api_.put(kPools, R"({"metadata":{"name":"default"},"spec":{"weight":"heavy"}})");
  start();
  const scheduling::Snapshot s = cluster_.snapshot();
  ASSERT_EQ(s.pools.size(), 1u);
  EXPECT_EQ(s.pools[0].not_ready, "NodePool default cannot be read: spec.weight: must be an integer, not \"heavy\"");
}

TEST_F(ClusterTest, StorageBudgetsAndNamespacesAreCarried) {
  api_.put("/api/v1/persistentvolumeclaims", R"({"metadata":{"namespace":"ns","name":"c"},"spec":{"volumeName":"v"}})");
  api_.put("/api/v1/persistentvolumes", R"({"metadata":{"name":"v"},"spec":{"csi":{"driver":"d"}}})");
  api_.put("/apis/storage.k8s.io/v1/storageclasses", R"({"metadata":{"name":"s"},"provisioner":"d"})");
  api_.put("/apis/storage.k8s.io/v1/csinodes", R"({"metadata":{"name":"n"},"spec":{"drivers":[]}})");
  api_.put("/apis/policy/v1/poddisruptionbudgets", R"({"metadata":{"namespace":"ns","name":"b"},"spec":{}})");
  api_.put("/api/v1/namespaces", R"({"metadata":{"name":"ns","labels":{"team":"a"}}})");
  start();
  const scheduling::Snapshot s = cluster_.snapshot();
  EXPECT_EQ(s.volume_claims.at("ns/c").volume_name, "v");
  EXPECT_EQ(s.volumes.at("v").csi_driver, "d");
  EXPECT_EQ(s.storage_classes.at("s").provisioner, "d");
  EXPECT_TRUE(s.csi_nodes.contains("n"));
  EXPECT_EQ(s.disruption_budgets.size(), 1u);
  EXPECT_EQ(s.namespace_labels.at("ns").at("team"), "a");
}

}  // namespace
}  // namespace tenon::state
