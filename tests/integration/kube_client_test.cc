// The Kubernetes client, informers, leader election, events and codecs against the minicluster's API server: two
// implementations that share no code meet on the wire format.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/loopback_transport.h"
#include "json/json.h"
#include "json/patch.h"
#include "kube/cluster_dns.h"
#include "kube/codec/codec.h"
#include "kube/events.h"
#include "kube/informer.h"
#include "kube/leader.h"
#include "kube/resource_types.h"
#include "kubesim/apiserver/front/server.h"
#include "minicluster/minicluster.h"
#include "runtime/sim.h"

namespace tenon {
namespace {

using kube::PatchAnswer;
using kube::PatchType;
using ::testing::HasSubstr;

json::value parse(std::string_view text) {
  auto v = json::parse(text);
  EXPECT_TRUE(v) << v.error().message << "\n" << text;
  return v ? *std::move(v) : json::value();
}
json::value pod(const std::string& name, const std::string& labels = "{}") {
  return parse(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name + R"(","labels":)" + labels +
               R"(},"spec":{"containers":[{"name":"a","image":"pause","resources":{"limits":{"cpu":"250m"}}}]}})");
}

class KubeClientTest : public ::testing::Test {
 protected:
  explicit KubeClientTest(uint64_t seed = 1)
      : sim_(runtime::make_sim_runtime({.seed = seed})),
        server_(kubesim::make_api_server(*sim_, {.tokens = {{"secret", "admin"}}})),
        transport_(http::make_loopback_transport({{"api", server_.get()}})),
        client_(kube::make_client(*sim_, *transport_, {.server = "http://api", .bearer_token = "secret"})) {}

  // Runs on an actor of the simulation, as every user of the client does.
  void run(const std::function<void(const std::stop_token&)>& body) { sim_->spawn("test", body)->join(); }

  std::unique_ptr<runtime::SimRuntime> sim_;
  std::unique_ptr<kubesim::ApiServer> server_;
  std::unique_ptr<http::Transport> transport_;
  std::unique_ptr<kube::Client> client_;
};

TEST_F(KubeClientTest, FindsTheClustersDns) {
  run([&](const std::stop_token& stop) {
    EXPECT_EQ(kube::find_cluster_dns(*client_, stop).error().code, Code::kNotFound);
    const kube::ResourceType services{"", "v1", "services", "Service", true};
    const auto made = client_->create(services, "kube-system",
                                      parse(R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"kube-dns"},
                  "spec":{"clusterIP":"172.20.0.10","ports":[{"port":53,"protocol":"UDP"}]}})"),
                                      stop);
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ(*kube::find_cluster_dns(*client_, stop), "172.20.0.10");
  });
}

TEST_F(KubeClientTest, EveryVerb) {
  run([&](const std::stop_token& stop) {
    const auto created = client_->create(kube::kPods, "default", pod("a", R"({"app":"web"})"), stop);
    ASSERT_TRUE(created) << created.error().message;
    const std::string uid(json::string_at(*created, {"metadata", "uid"}));
    const std::string version(json::string_at(*created, {"metadata", "resourceVersion"}));
    EXPECT_NE(uid, "");
    EXPECT_EQ(client_->create(kube::kPods, "default", pod("a"), stop).error().code, Code::kAlreadyExists);
    EXPECT_EQ(client_->get(kube::kPods, {"default", "b"}, stop).error().code, Code::kNotFound);
    const auto invalid = client_->create(kube::kPods, "default", pod("Not A Name"), stop);
    EXPECT_EQ(invalid.error().code, Code::kInvalid);
    EXPECT_THAT(invalid.error().message, HasSubstr("metadata.name"));

    const json::value label = parse(R"({"metadata":{"labels":{"a":"1"}}})");
    const auto merged = client_->patch(kube::kPods, {"default", "a"}, PatchType::kMerge, label, {}, stop);
    ASSERT_TRUE(merged) << merged.error().message;
    EXPECT_EQ(json::string_at(*merged, {"metadata", "labels", "app"}), "web");
    const auto metadata = client_->patch(kube::kPods, {"default", "a"}, PatchType::kMerge, label,
                                         {.answer = PatchAnswer::kMetadata}, stop);
    ASSERT_TRUE(metadata) << metadata.error().message;
    EXPECT_EQ(json::string_at(*metadata, {"kind"}), "PartialObjectMetadata");
    EXPECT_EQ(json::string_at(*metadata, {"metadata", "labels", "app"}), "web");
    EXPECT_FALSE(metadata->get_object().contains("spec"));
    EXPECT_TRUE(
        client_->patch(kube::kPods, {"default", "a"}, PatchType::kMerge, label, {.answer = PatchAnswer::kNothing}, stop)
            ->is_null());
    json::value stale = label;
    json::ensure(stale, {"metadata", "resourceVersion"}) = version;
    EXPECT_EQ(client_->patch(kube::kPods, {"default", "a"}, PatchType::kMerge, stale, {}, stop).error().code,
              Code::kConflict);
    const json::value add = parse(R"([{"op":"add","path":"/metadata/labels/b","value":"2"}])");
    EXPECT_TRUE(client_->patch(kube::kPods, {"default", "a"}, PatchType::kJson, add, {}, stop));
    const json::value status = parse(R"({"status":{"conditions":[{"type":"Ready","status":"True"}]}})");
    const auto patched =
        client_->patch(kube::kPods, {"default", "a"}, PatchType::kStrategic, status, {.subresource = "status"}, stop);
    ASSERT_TRUE(patched) << patched.error().message;
    EXPECT_EQ(json::string_at(*patched, {"metadata", "labels", "b"}), "2");

    json::value changed = *client_->get(kube::kPods, {"default", "a"}, stop);
    json::ensure(changed, {"metadata", "annotations"}) = parse(R"({"x":"y1"})");
    ASSERT_TRUE(client_->update(kube::kPods, {"default", "a"}, changed, "", stop));
    EXPECT_EQ(client_->update(kube::kPods, {"default", "a"}, changed, "", stop).error().code, Code::kConflict);

    EXPECT_EQ(client_->remove(kube::kPods, {"default", "a"}, {.uid = "another"}, stop).error().code, Code::kConflict);
    EXPECT_TRUE(client_->remove(kube::kPods, {"default", "a"}, {.uid = uid, .grace_period_seconds = 0}, stop));
    EXPECT_EQ(client_->get(kube::kPods, {"default", "a"}, stop).error().code, Code::kNotFound);
    EXPECT_THAT(*client_->server_version(stop), HasSubstr("v1."));
  });
}

TEST_F(KubeClientTest, AWrongTokenIsForbidden) {
  run([&](const std::stop_token& stop) {
    const auto other = kube::make_client(*sim_, *transport_, {.server = "http://api", .bearer_token = "wrong"});
    const auto answer = other->list(kube::kPods, {}, stop);
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, Code::kForbidden);
  });
}

TEST_F(KubeClientTest, ListsComeInPagesAndBySelector) {
  run([&](const std::stop_token& stop) {
    for (int i = 0; i < 1100; ++i) {
      const std::string labels = i % 3 == 0 ? R"({"app":"a"})" : R"({"app":"b"})";
      ASSERT_TRUE(client_->create(kube::kPods, "default", pod("p" + std::to_string(i), labels), stop));
    }
    EXPECT_EQ(client_->list(kube::kPods, {}, stop)->items.size(), 1100u);
    EXPECT_EQ(client_->list(kube::kPods, {.ns = "default", .label_selector = "app in (a)"}, stop)->items.size(), 367u);
    EXPECT_EQ(client_->list(kube::kPods, {.ns = "kube-system"}, stop)->items.size(), 0u);
  });
}

TEST_F(KubeClientTest, AnInformerFollowsThroughCompactions) {
  kube::Informer<model::Pod> pods(*sim_, *client_, kube::kPods, kube::codec::decode_pod);
  size_t alive = 0;
  pods.on_change([&](const auto& change) { alive += !change.before ? 1 : !change.after ? -1 : 0; });
  pods.start();
  run([&](const std::stop_token& stop) {
    size_t wanted = 0;
    for (int i = 0; i < 300; ++i) {
      const std::string name = "p" + std::to_string(sim_->random() % 40);
      if (sim_->random() % 3 == 0) {
        if (client_->remove(kube::kPods, {"default", name}, {.grace_period_seconds = 0}, stop)) --wanted;
      } else if (client_->create(kube::kPods, "default", pod(name), stop)) {
        ++wanted;
      }
      if (i % 25 == 0) server_->compact();
      sim_->sleep_for(Duration(static_cast<int64_t>(sim_->random() % 500'000'000)), stop);
    }
    sim_->sleep_for(5min, stop);
    EXPECT_EQ(pods.list().size(), wanted);
    EXPECT_EQ(alive, wanted);
  });
  EXPECT_TRUE(pods.unreadable().empty());
  ASSERT_FALSE(pods.list().empty());
  EXPECT_EQ(pods.list().front()->spec->requests.get(model::kCpu), 250);
}

TEST_F(KubeClientTest, OneReplicaLeadsAndEventsAreWritten) {
  kube::LeaderElector a(*sim_, *client_, {.identity = "a"}), b(*sim_, *client_, {.identity = "b"});
  const auto lead = [&](kube::LeaderElector& elector) {
    return sim_->spawn("replica", [&](const std::stop_token& stop) {
      if (!elector.acquire(stop)) return;
      sim_->sleep_until(kNever, stop);
      elector.release({});
    });
  };
  run([&](const std::stop_token& stop) {
    const json::value ns = parse(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"kube-system"}})");
    const auto made = client_->create(kube::kNamespaces, "", ns, stop);
    EXPECT_TRUE(made || made.error().code == Code::kAlreadyExists) << made.error().message;
  });
  auto run_a = lead(a);
  auto run_b = lead(b);
  sim_->run_for(1min);
  EXPECT_NE(a.leading(), b.leading()) << a.last_problem() << b.last_problem();
  (a.leading() ? run_a : run_b).reset();
  sim_->run_for(10s);
  EXPECT_NE(a.leading(), b.leading());
  run_a.reset();
  run_b.reset();

  metrics::Registry registry;
  kube::EventRecorder recorder(*sim_, *client_, registry);
  recorder.start();
  EXPECT_TRUE(recorder.record({{"v1", "Node", "", "n1", "u1"}, "Normal", "DisruptionTerminating", "text", 2min}));
  recorder.stop();
  run([&](const std::stop_token& stop) {
    const auto events = client_->list(kube::kEvents, {.ns = "default"}, stop);
    ASSERT_TRUE(events) << events.error().message;
    ASSERT_EQ(events->items.size(), 1u);
    EXPECT_EQ(json::string_at(events->items[0], {"reason"}), "DisruptionTerminating");
  });
}

// The output of the encoders passes the CRDs' schemas and rules, and is read back unchanged.
TEST(KubeCodecs, NodeClaimsSurviveTheApiServer) {
  const auto sim = runtime::make_sim_runtime({});
  minicluster::Minicluster cluster(*sim, {});
  ASSERT_TRUE(cluster.start());
  const auto transport = http::make_loopback_transport({{"api", &cluster.api_handler()}});
  const auto client = kube::make_client(*sim, *transport, {.server = "http://api"});
  const auto task = sim->spawn("test", [&](const std::stop_token& stop) {
    model::NodeClaim claim;
    claim.meta.generate_name = "default-";
    claim.meta.labels = {{"karpenter.sh/nodepool", "default"}};
    claim.meta.annotations = {{"karpenter.sh/nodepool-hash", "42"}};
    claim.meta.owners = {{"karpenter.sh/v1", "NodePool", "default", "p-1", false, true}};
    claim.node_class_ref = {"karpenter.k8s.aws", "EC2NodeClass", "default"};
    claim.requirements = {{"node.kubernetes.io/instance-type", model::Operator::kIn, {"c5.large", "m5.large"}, 2},
                          {"karpenter.k8s.aws/instance-cpu", model::Operator::kGte, {"2"}, std::nullopt}};
    claim.requests = {{"cpu", 1150}, {"memory", 128 << 20}, {"pods", 3}};
    claim.taints = {{"dedicated", "gpu", "NoSchedule", std::nullopt}};
    claim.startup_taints = {{"starting", "", "NoExecute", std::nullopt}};
    claim.expire_after = std::nullopt;
    claim.termination_grace_period = 5min;
    const auto created = client->create(kube::kNodeClaims, "", kube::codec::encode(claim), stop);
    ASSERT_TRUE(created) << created.error().message;
    const auto back = kube::codec::decode_node_claim(*created);
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_THAT(back->meta.name, HasSubstr("default-"));
    EXPECT_EQ(back->requirements, claim.requirements);
    EXPECT_EQ(back->requests, claim.requests);
    EXPECT_EQ(back->taints, claim.taints);
    EXPECT_EQ(back->startup_taints, claim.startup_taints);
    EXPECT_EQ(back->expire_after, claim.expire_after);
    EXPECT_EQ(back->termination_grace_period, claim.termination_grace_period);
    EXPECT_EQ(back->node_class_ref, claim.node_class_ref);
    EXPECT_EQ(back->meta.owners, claim.meta.owners);

    model::NodeClaim launched = *back;
    launched.provider_id = "aws:///us-east-1a/i-1";
    launched.capacity = {{"cpu", 2000}, {"memory", int64_t{8} << 30}};
    model::set_condition(launched.conditions, {"Launched", "True", "Launched", "", sim->now(), 1});
    const json::value patch = json::make_merge_patch(kube::codec::encode(*back), kube::codec::encode(launched));
    const auto patched = client->patch(kube::kNodeClaims, {"", back->meta.name}, PatchType::kMerge, patch,
                                       {.subresource = "status"}, stop);
    ASSERT_TRUE(patched) << patched.error().message;
    const auto after = kube::codec::decode_node_claim(*patched);
    ASSERT_TRUE(after) << after.error().message;
    EXPECT_EQ(after->provider_id, launched.provider_id);
    EXPECT_EQ(after->capacity, launched.capacity);
    EXPECT_TRUE(after->is(model::kLaunched));
  });
  task->join();
  cluster.stop();
}

}  // namespace
}  // namespace tenon
