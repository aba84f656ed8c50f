// The kwok provider against the API server of the embedded cluster: its Nodes are the instances.
// SPDX-License-Identifier: Apache-2.0
#include "cloud/kwok_provider/kwok_provider.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cloud/kwok_provider/instance_types.h"
#include "cloud/kwok_provider/waiting_nodes.h"
#include "http/loopback_transport.h"
#include "json/json.h"
#include "json/yaml.h"
#include "kube/codec/kwok.h"
#include "kube/resource_types.h"
#include "kubesim/apiserver/front/server.h"
#include "model/kwok.h"
#include "model/labels.h"
#include "runtime/sim.h"
#include "schema/builtin_crds.h"

namespace tenon {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const kubesim::Resource kNodes{"", "nodes"};

model::NodeClaim claim(const std::string& name, const std::string& uid = "0f3c9a52-aaaa") {
  model::NodeClaim out;
  out.meta.name = name;
  out.meta.uid = uid;
  out.meta.labels = {{std::string(model::kLabelNodePool), "default"}, {std::string(model::kLabelKwokClass), "default"}};
  out.node_class_ref = {std::string(model::kKwokGroup), std::string(model::kKwokClassKind), "default"};
  out.requests = {{"cpu", 1000}};
  const auto require = [&](std::string_view key, std::vector<std::string> values) {
    out.requirements.push_back({std::string(key), model::Operator::kIn, std::move(values), {}});
  };
  require(model::kLabelInstanceType, {"c-2x-amd64-linux", "c-4x-amd64-linux"});
  require(model::kLabelCapacityType, {"on-demand", "spot"});
  require("team", {"a"});
  return out;
}

class KwokProviderTest : public ::testing::Test {
 protected:
  KwokProviderTest() {
    for (const auto& [file, yaml] : schema::kwok_crds()) {
      EXPECT_TRUE(
          server_->create({"apiextensions.k8s.io", "customresourcedefinitions"}, "", json::parse_yaml(yaml)->front()))
          << file;
    }
    make_class("");
  }
  void make_class(const std::string& delay) {
    json::object spec;
    if (!delay.empty()) spec["nodeRegistrationDelay"] = delay;
    const json::value object = json::object{{"apiVersion", "karpenter.kwok.sh/v1alpha1"},
                                            {"kind", "KWOKNodeClass"},
                                            {"metadata", json::object{{"name", "default"}}},
                                            {"spec", spec}};
    const auto made = server_->create({"karpenter.kwok.sh", "kwoknodeclasses"}, "", object);
    ASSERT_TRUE(made) << made.error().message;
    const auto decoded = kube::codec::decode_kwok_class(**made);
    ASSERT_TRUE(decoded) << decoded.error().message;
    class_ = *provider_->resolve(*decoded, {}, {});
  }
  void slow_class(const std::string& delay) {
    ASSERT_TRUE(server_->remove({"karpenter.kwok.sh", "kwoknodeclasses"}, "", "default"));
    make_class(delay);
  }
  // Runs on an actor of the simulation, as every user of the client does.
  void run(const std::function<void(const std::stop_token&)>& body) { sim_->spawn("test", body)->join(); }
  Result<cloud::Instance> launch(const model::NodeClaim& wanted) {
    Result<cloud::Instance> out = fail(Code::kInternal, "not run");
    run([&](const auto& stop) { out = provider_->create(wanted, class_, nullptr, stop); });
    return out;
  }
  std::vector<std::string> listed() {
    std::vector<std::string> ids;
    run([&](const auto& stop) {
      const auto instances = provider_->list(stop);
      ASSERT_TRUE(instances) << instances.error().message;
      for (const auto& instance : *instances) ids.push_back(instance.provider_id);
    });
    return ids;
  }
  json::value node(const std::string& provider_id) {
    const auto found = server_->get(kNodes, "", provider_id.substr(model::kKwokProviderPrefix.size()));
    return found ? **found : json::value();
  }

  std::unique_ptr<runtime::SimRuntime> sim_ = runtime::make_sim_runtime({.seed = 1});
  std::unique_ptr<kubesim::ApiServer> server_ = kubesim::make_api_server(*sim_, {.tokens = {{"secret", "admin"}}});
  std::unique_ptr<http::Transport> transport_ = http::make_loopback_transport({{"api", server_.get()}});
  std::unique_ptr<kube::Client> client_ =
      kube::make_client(*sim_, *transport_, {.server = "http://api", .bearer_token = "secret"});
  std::unique_ptr<cloud::Provider> provider_ =
      cloud::make_kwok_provider(*sim_, *client_, {.types = cloud::default_kwok_types()});
  model::NodeClass class_;
};

TEST_F(KwokProviderTest, ManagesItsClassesOnly) {
  EXPECT_TRUE(provider_->manages({"karpenter.kwok.sh", "KWOKNodeClass", "any"}));
  EXPECT_FALSE(provider_->manages({"karpenter.k8s.aws", "EC2NodeClass", "any"}));
  EXPECT_EQ(class_.meta.name, "kwoknodeclass/default");
  EXPECT_TRUE(class_.ready());
  EXPECT_EQ(*provider_->resolve(class_, {}, {}), class_) << "nothing is written without a change";
}

TEST_F(KwokProviderTest, ALaunchCreatesAnUnregisteredNode) {
  const auto instance = launch(claim("default-a"));
  ASSERT_TRUE(instance) << instance.error().message;
  EXPECT_EQ(instance->provider_id, "kwok://kwok-default-a-0f3c9a52");
  EXPECT_EQ(instance->instance_type, "c-2x-amd64-linux") << "the lowest price";
  EXPECT_EQ(instance->capacity_type, "spot");
  EXPECT_EQ(instance->claim_name, "default-a");
  EXPECT_EQ(instance->pool, "default");
  EXPECT_EQ(instance->allocatable.get("cpu"), 1900);
  EXPECT_EQ(instance->annotations.at("kwok.x-k8s.io/node"), "fake");
  const json::value made = node(instance->provider_id);
  const auto label = [&](const char* key) { return std::string(json::string_at(made, {"metadata", "labels", key})); };
  EXPECT_EQ(label("kubernetes.io/hostname"), "default-a");
  EXPECT_EQ(label("kubernetes.io/arch"), "amd64");
  EXPECT_EQ(label("karpenter.kwok.sh/instance-cpu"), "2");
  EXPECT_EQ(label("karpenter.kwok.sh/instance-memory"), "4Gi");
  EXPECT_EQ(label("karpenter.kwok.sh/instance-family"), "c");
  EXPECT_EQ(label("karpenter.kwok.sh/instance-size"), "2");
  EXPECT_EQ(label("karpenter.kwok.sh/kwoknodeclass"), "default");
  EXPECT_EQ(label("karpenter.sh/nodepool"), "default");
  EXPECT_EQ(label("topology.kubernetes.io/zone"), instance->zone);
  EXPECT_EQ(label("eks-node-viewer/instance-price"), "0.038006");
  EXPECT_EQ(label("kwok-partition"), "a");
  EXPECT_EQ(label("kwok.x-k8s.io/node"), "fake");
  EXPECT_EQ(label("team"), "a") << "a requirement with one value";
  EXPECT_EQ(json::string_at(made, {"metadata", "annotations", "kwok.x-k8s.io/node"}), "fake");
  EXPECT_EQ(json::string_at(made, {"status", "allocatable", "cpu"}), "1900m");
  EXPECT_EQ(json::string_at(made, {"status", "capacity", "pods"}), "32");
  const json::array taints = json::array_at(made, {"spec", "taints"});
  EXPECT_TRUE(std::any_of(taints.begin(), taints.end(), [](const json::value& taint) {
    return json::string_at(taint, {"key"}) == "karpenter.sh/unregistered" &&
           json::string_at(taint, {"effect"}) == "NoExecute";
  }));
  EXPECT_THAT(listed(), ElementsAre(instance->provider_id));
}

TEST_F(KwokProviderTest, AClaimIsLaunchedOnce) {
  const auto first = launch(claim("default-a")), again = launch(claim("default-a"));
  ASSERT_TRUE(first && again);
  EXPECT_EQ(again->provider_id, first->provider_id);
  EXPECT_EQ(again->zone, first->zone);
  EXPECT_EQ(listed().size(), 1u);
  const auto other = launch(claim("default-a", "11111111-bbbb"));  // a later claim of the same name
  ASSERT_TRUE(other);
  EXPECT_NE(other->provider_id, first->provider_id);
}

TEST_F(KwokProviderTest, EqualPricesSpreadOverZones) {
  std::set<std::string> zones;
  for (const char* uid : {"00000000", "00000001", "00000002", "00000003"}) {
    const auto instance = launch(claim(std::string("default-") + uid, uid));
    ASSERT_TRUE(instance);
    zones.insert(instance->zone);
  }
  EXPECT_EQ(zones.size(), 4u);
}

TEST_F(KwokProviderTest, NothingIsLaunchedBeyondTheClaimAndTheClass) {
  model::NodeClaim impossible = claim("default-a");
  impossible.requests = {{"cpu", 16000}};
  EXPECT_EQ(launch(impossible).error().code, Code::kInsufficientCapacity);
  class_.meta.deleted_at = sim_->now();
  EXPECT_EQ(launch(claim("default-a")).error().code, Code::kConflict);
  class_.meta.deleted_at.reset();
  ASSERT_TRUE(server_->remove({"karpenter.kwok.sh", "kwoknodeclasses"}, "", "default"));
  EXPECT_EQ(launch(claim("default-a")).error().code, Code::kInsufficientCapacity);
  EXPECT_THAT(listed(), IsEmpty());
}

TEST_F(KwokProviderTest, ATerminationDeletesTheNode) {
  const std::string id = launch(claim("default-a"))->provider_id, name = id.substr(7);
  // Registration adds the finalizer, which keeps the deleted Node until it is drained.
  ASSERT_TRUE(server_->merge_patch(
      kNodes, "", name,
      json::object{{"metadata", json::object{{"finalizers", json::array{"karpenter.sh/termination"}}}}}));
  ASSERT_TRUE(server_->remove(kNodes, "", name));
  run([&](const auto& stop) { EXPECT_TRUE(provider_->get(id, stop)) << "a Node that drains still runs"; });
  EXPECT_EQ(listed().size(), 1u);
  run([&](const auto& stop) { EXPECT_TRUE(provider_->remove(id, stop)); });
  EXPECT_TRUE(node(id).is_null());
  run([&](const auto& stop) {
    EXPECT_EQ(provider_->remove(id, stop).error().code, Code::kNotFound);
    EXPECT_EQ(provider_->get(id, stop).error().code, Code::kNotFound);
    EXPECT_EQ(provider_->get("aws:///a/i-1", stop).error().code, Code::kInvalid);
  });
  EXPECT_THAT(listed(), IsEmpty());
}

TEST_F(KwokProviderTest, ANodeThatOthersHoldHasEnded) {
  const std::string id = launch(claim("default-a"))->provider_id, name = id.substr(7);
  ASSERT_TRUE(server_->merge_patch(
      kNodes, "", name, json::object{{"metadata", json::object{{"finalizers", json::array{"example.com/keep"}}}}}));
  run([&](const auto& stop) { EXPECT_TRUE(provider_->remove(id, stop)); });
  EXPECT_FALSE(node(id).is_null());
  EXPECT_THAT(listed(), IsEmpty());
  EXPECT_EQ(launch(claim("default-a")).error().code, Code::kUnavailable) << "until its name is free";
}

TEST_F(KwokProviderTest, OtherNodesAreNoInstances) {
  ASSERT_TRUE(server_->create(kNodes, "",
                              json::object{{"apiVersion", "v1"},
                                           {"kind", "Node"},
                                           {"metadata", json::object{{"name", "worker"}}},
                                           {"spec", json::object{{"providerID", "aws:///a/i-1"}}}}));
  EXPECT_THAT(listed(), IsEmpty());
}

TEST_F(KwokProviderTest, ADelayedNodeJoinsLater) {
  slow_class("30s");
  const auto instance = launch(claim("default-a"));
  ASSERT_TRUE(instance) << instance.error().message;
  EXPECT_TRUE(node(instance->provider_id).is_null());
  EXPECT_THAT(listed(), ElementsAre(instance->provider_id)) << "the instance exists";
  EXPECT_EQ(launch(claim("default-a"))->provider_id, instance->provider_id);
  sim_->run_for(31s);
  EXPECT_FALSE(node(instance->provider_id).is_null());
  EXPECT_THAT(listed(), ElementsAre(instance->provider_id));
}

TEST_F(KwokProviderTest, ADelayedInstanceThatEndsNeverJoins) {
  slow_class("30s");
  const std::string a = launch(claim("default-a"))->provider_id, b = launch(claim("default-b"))->provider_id;
  run([&](const auto& stop) { EXPECT_TRUE(provider_->remove(a, stop)); });
  sim_->run_for(1min);
  EXPECT_TRUE(node(a).is_null());
  EXPECT_THAT(listed(), ElementsAre(b));
}

// One Node that the API server refuses delays no other one.
TEST_F(KwokProviderTest, ARefusedNodeIsTriedAgain) {
  cloud::WaitingNodes waiting(*sim_, *client_, {});
  const auto document = [](const char* name) {
    return std::make_shared<const json::value>(
        json::object{{"apiVersion", "v1"}, {"kind", "Node"}, {"metadata", json::object{{"name", name}}}});
  };
  cloud::Instance a, b;
  a.provider_id = "kwok://a";
  b.provider_id = "kwok://b";
  waiting.add(a, document("Not A Name"), sim_->now());
  waiting.add(b, document("b"), sim_->now());
  sim_->run_for(10s);
  EXPECT_TRUE(server_->get(kNodes, "", "b"));
  EXPECT_TRUE(waiting.find("kwok://a"));
  EXPECT_FALSE(waiting.find("kwok://b")) << "its Node is the instance now";
  EXPECT_TRUE(waiting.remove("kwok://a"));
  EXPECT_FALSE(waiting.remove("kwok://b"));
}

}  // namespace
}  // namespace tenon
