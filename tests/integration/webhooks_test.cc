// The webhooks between the embedded API server and the replicas of the controller: conversion of objects that are
// stored as v1beta1, and admission of the objects of v0.27. Real TLS on loopback; only the controllers' own requests go
// to the API server in process.
// SPDX-License-Identifier: Apache-2.0
#include "webhooks/webhooks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "base/text.h"
#include "http/certificate.h"
#include "http/curl_transport.h"
#include "http/loopback_transport.h"
#include "json/json.h"
#include "json/yaml.h"
#include "kube/codec/codec.h"
#include "kube/informer.h"
#include "kube/resource_types.h"
#include "kubesim/apiserver/front/server.h"
#include "runtime/live.h"
#include "runtime/sim.h"
#include "schema/builtin_crds.h"
#include "testing/roles.h"

namespace tenon::webhooks {
namespace {

using json::value;
using ::testing::HasSubstr;

const kube::ResourceType kEarlierPools{"karpenter.sh", "v1beta1", "nodepools", "NodePool", false};
const kube::ResourceType kServices{"", "v1", "services", "Service", true};
constexpr const char* kNamespace = "kube-system";

std::string file(const std::string& path) {
  std::ifstream in(std::string(TENON_SOURCE_DIR) + "/" + path);
  std::stringstream text;
  text << in.rdbuf();
  EXPECT_FALSE(text.str().empty()) << path;
  return text.str();
}

constexpr const char* kPool = R"(
apiVersion: karpenter.sh/v1beta1
kind: NodePool
metadata: {name: default}
spec:
  disruption: {consolidationPolicy: WhenUnderutilized, expireAfter: 24h, budgets: [{nodes: "1"}]}
  template:
    spec:
      nodeClassRef: {name: default}
      requirements: [{key: kubernetes.io/arch, operator: In, values: [amd64]}]
      kubelet: {maxPods: 20}
)";
constexpr const char* kProvisioner =
    "{apiVersion: karpenter.sh/v1alpha5, kind: Provisioner, metadata: {name: default}, spec: {providerRef: {name: a}}}";

class WebhooksTest : public ::testing::Test {
 protected:
  WebhooksTest()
      : runtime_(runtime::make_live_runtime()),
        server_(kubesim::make_api_server(*runtime_,
                                         {.webhooks =
                                              [](const std::string& ca_pem, const std::string& server_name) {
                                                return std::shared_ptr<http::Transport>(http::make_curl_transport(
                                                    {.ca_pem = ca_pem, .server_name = server_name, .no_proxy = true}));
                                              }})),
        transport_(http::make_loopback_transport({{"api", server_.get()}})),
        client_(kube::make_client(*runtime_, *transport_, {.server = "http://api"})),
        of_replicas_(testing::hold_to_roles(http::make_loopback_transport({{"api", server_.get()}}), refused_)),
        client_of_replicas_(kube::make_client(*runtime_, *of_replicas_, {.server = "http://api"})) {}

  // deploy/rbac.yaml allows every request of the replicas.
  void TearDown() override { EXPECT_THAT(refused_, ::testing::IsEmpty()); }

  value create(const kube::ResourceType& type, const std::string& ns, const value& object) {
    const auto made = client_->create(type, ns, object, {});
    EXPECT_TRUE(made) << (made ? "" : made.error().message);
    return made ? *made : value();
  }
  value create_yaml(const kube::ResourceType& type, const std::string& ns, std::string_view yaml) {
    return create(type, ns, json::parse_yaml(yaml)->front());
  }

  // The CRDs with v1beta1 as the version in which objects are stored, as Karpenter before 1.0 had them.
  void install_with_storage_v1beta1() {
    for (const auto& [name, yaml] : schema::v1beta1_crds()) {
      value crd = json::parse_yaml(yaml)->front();
      for (value& version : json::find(crd, {"spec", "versions"})->get_array())
        version.get_object()["storage"] = json::string_at(version, {"name"}) == "v1beta1";
      create(kube::kDefinitions, "", crd);
    }
  }
  void store_v1_from_now_on() {
    for (const auto& [name, yaml] : schema::v1beta1_crds()) {
      const value crd = json::parse_yaml(yaml)->front();
      const value patch = json::object{{"spec", json::object{{"versions", *json::find(crd, {"spec", "versions"})}}}};
      const auto patched =
          client_->patch(kube::kDefinitions, {"", std::string(json::string_at(crd, {"metadata", "name"}))},
                         kube::PatchType::kMerge, patch, {}, {});
      ASSERT_TRUE(patched) << patched.error().message;
    }
  }

  std::unique_ptr<Webhooks> replica() {
    return std::make_unique<Webhooks>(*runtime_, *client_of_replicas_,
                                      Options{.service = {kNamespace, "karpenter"}, .port = 0});
  }
  // A pod of the controller that is not ready, behind which a replica serves.
  void add_pod(const std::string& name, const Webhooks& replica) {
    value pod = json::parse_yaml("{apiVersion: v1, kind: Pod, metadata: {name: " + name +
                                 ", labels: {app.kubernetes.io/name: tenon}}, spec: {containers: [{name: c, image: i, "
                                 "ports: [{name: https-webhook, containerPort: " +
                                 std::to_string(*replica.port()) + "}]}]}}")
                    ->front();
    create(kube::kPods, kNamespace, pod);
    const value status = json::object{{"status", json::object{{"podIP", "127.0.0.1"}}}};
    ASSERT_TRUE(client_->patch(kube::kPods, {kNamespace, name}, kube::PatchType::kMerge, status,
                               {.subresource = "status"}, {}));
  }
  void publish_unready(bool yes) {
    const value patch = json::object{{"spec", json::object{{"publishNotReadyAddresses", yes}}}};
    ASSERT_TRUE(client_->patch(kServices, {kNamespace, "karpenter"}, kube::PatchType::kMerge, patch, {}, {}));
  }
  std::string list_error() {
    const auto listed = client_->list(kube::kNodePools, {}, {});
    return listed ? "" : listed.error().message;
  }

  std::unique_ptr<runtime::LiveRuntime> runtime_;
  std::unique_ptr<kubesim::ApiServer> server_;
  std::unique_ptr<http::Transport> transport_;
  std::unique_ptr<kube::Client> client_;
  std::vector<std::string> refused_;  // requests that the roles do not allow
  std::unique_ptr<http::Transport> of_replicas_;
  std::unique_ptr<kube::Client> client_of_replicas_;
};

// All replicas start at once, and none is ready before its informers have listed NodePools, which are stored as
// v1beta1.
TEST_F(WebhooksTest, AColdStartWithStoredV1beta1ObjectsDoesNotBlockItself) {
  install_with_storage_v1beta1();
  const value before = create_yaml(kEarlierPools, "", kPool);
  store_v1_from_now_on();
  create_yaml(kServices, kNamespace, file("deploy/webhooks/service.yaml"));
  EXPECT_THAT(list_error(), HasSubstr("no endpoints available for service \"karpenter\""));

  const auto first = replica(), second = replica();
  ASSERT_TRUE(first->reconcile({}));
  ASSERT_TRUE(second->reconcile({}));
  add_pod("tenon-1", *first);
  add_pod("tenon-2", *second);
  publish_unready(false);
  EXPECT_THAT(list_error(), HasSubstr("no endpoints available")) << "no replica is ready";
  publish_unready(true);
  EXPECT_EQ(list_error(), "");

  kube::Informer<model::NodePool> pools(*runtime_, *client_of_replicas_, kube::kNodePools,
                                        kube::codec::decode_node_pool);
  const auto seen = runtime_->make_event();
  pools.on_change([&](const auto&) { seen->notify(); });
  pools.start();
  ASSERT_EQ(seen->wait(0, runtime_->now() + 1min, {}), runtime::Wake::kNotified);
  const auto pool = pools.get("default");
  pools.stop();
  ASSERT_TRUE(pool);
  EXPECT_EQ(pool->node_template.expire_after, Duration(24h));
  ASSERT_TRUE(pool->kubelet);
  EXPECT_EQ(pool->kubelet->max_pods, 20);

  // Either version is served, and a write stores v1.
  const auto earlier = client_->get(kEarlierPools, {"", "default"}, {});
  ASSERT_TRUE(earlier);
  EXPECT_EQ(*json::find(*earlier, {"spec"}), *json::find(before, {"spec"}));
  const value weight = json::object{{"spec", json::object{{"weight", 7}}}};
  const auto patched = client_->patch(kEarlierPools, {"", "default"}, kube::PatchType::kMerge, weight, {}, {});
  ASSERT_TRUE(patched) << patched.error().message;
  EXPECT_EQ(json::string_at(*patched, {"apiVersion"}), "karpenter.sh/v1beta1");
  EXPECT_EQ(json::int_at(*client_->get(kube::kNodePools, {"", "default"}, {}), {"spec", "weight"}), 7);
}

TEST_F(WebhooksTest, TheSchemaOfTheVersionInTheRequestCounts) {
  for (const auto& [name, yaml] : schema::v1beta1_crds()) {
    create_yaml(kube::kDefinitions, "", yaml);
  }
  create_yaml(kServices, kNamespace, file("deploy/webhooks/service.yaml"));
  const auto one = replica();
  ASSERT_TRUE(one->reconcile({}));
  add_pod("tenon-1", *one);
  value odd = json::parse_yaml(kPool)->front();
  json::ensure(odd, {"spec", "disruption", "consolidateAfter"}) = "1m";
  const auto refused = client_->create(kEarlierPools, "", odd, {});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message,
              HasSubstr("consolidateAfter cannot be combined with consolidationPolicy=WhenUnderutilized"));
  const value stored = create_yaml(kEarlierPools, "", kPool);
  EXPECT_EQ(json::string_at(stored, {"spec", "disruption", "consolidationPolicy"}), "WhenUnderutilized");
}

TEST_F(WebhooksTest, AProvisionerGetsItsDefaultsAndAnInvalidOneIsRefused) {
  for (const auto& [name, yaml] : schema::legacy_crds()) create_yaml(kube::kDefinitions, "", yaml);
  const auto documents = json::parse_yaml(file("deploy/webhooks/v0.27.yaml"));
  ASSERT_TRUE(documents);
  for (const value& document : *documents) {
    const bool mutating = json::string_at(document, {"kind"}) == "MutatingWebhookConfiguration";
    create(mutating ? kube::kMutatingWebhooks : kube::kValidatingWebhooks, "", document);
  }
  create_yaml(kServices, kNamespace, file("deploy/webhooks/service.yaml"));
  const value provisioner = json::parse_yaml(kProvisioner)->front();
  const auto early = client_->create(kube::kProvisioners, "", provisioner, {});
  ASSERT_FALSE(early) << "failurePolicy Fail";
  EXPECT_THAT(early.error().message, HasSubstr("failed calling webhook \"defaulting.webhook.karpenter.k8s.aws\""));

  const auto one = replica();
  ASSERT_TRUE(one->reconcile({}));
  add_pod("tenon-1", *one);
  const value made = create(kube::kProvisioners, "", provisioner);
  EXPECT_EQ(json::array_at(made, {"spec", "requirements"}).size(), 5u);
  value invalid = provisioner;
  json::ensure(invalid, {"metadata", "name"}) = "other";
  json::ensure(invalid, {"spec", "ttlSecondsAfterEmpty"}) = -1;
  const auto refused = client_->create(kube::kProvisioners, "", invalid, {});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message,
              HasSubstr("admission webhook \"validation.webhook.karpenter.sh\" denied the request: validation failed: "
                        "invalid value: cannot be negative: spec.ttlSecondsAfterEmpty"));
  const value settings = json::parse_yaml(R"(
apiVersion: v1
kind: ConfigMap
metadata: {name: karpenter-global-settings, namespace: kube-system, labels: {app.kubernetes.io/part-of: karpenter}}
data: {aws.tags: "{"}
)")
                             ->front();
  EXPECT_THAT(client_->create(kube::kConfigMaps, kNamespace, settings, {}).error().message, HasSubstr("aws.tags"));
}

TEST_F(WebhooksTest, WithoutARegistrationNothingIsServed) {
  for (const auto& [name, yaml] : schema::builtin_crds()) create_yaml(kube::kDefinitions, "", yaml);
  const auto one = replica();
  ASSERT_TRUE(one->reconcile({}));
  EXPECT_FALSE(one->port());
  EXPECT_EQ(client_->get(kube::kSecrets, {kNamespace, "karpenter-cert"}, {}).error().code, Code::kNotFound);
}

// The bundle keeps the previous CA, because other replicas still serve with its certificate.
TEST(WebhookCertificate, IsSharedAndRenewedBeforeItExpires) {
  const auto sim = runtime::make_sim_runtime({.seed = 1});
  const auto server = kubesim::make_api_server(*sim);
  const auto transport = http::make_loopback_transport({{"api", server.get()}});
  const auto client = kube::make_client(*sim, *transport, {.server = "http://api"});
  const auto now = [&] {
    Result<Certificate> certificate = Certificate();
    sim->spawn(
           "replica",
           [&](const std::stop_token& stop) { certificate = shared_certificate(*client, *sim, ServiceName(), stop); })
        ->join();
    EXPECT_TRUE(certificate) << certificate.error().message;
    return *certificate;
  };
  const Certificate first = now();
  EXPECT_EQ(now(), first) << "another replica";
  sim->run_for(kCertificateLifetime - kRenewBefore - 1h);
  EXPECT_EQ(now(), first);
  sim->run_for(2h);
  const Certificate renewed = now();
  EXPECT_NE(renewed.cert_pem, first.cert_pem);
  EXPECT_THAT(renewed.ca_pem, HasSubstr(first.ca_pem));
  EXPECT_NE(renewed.ca_pem, first.ca_pem);
  sim->run_for(kCertificateLifetime);
  const std::string late = now().ca_pem;
  EXPECT_EQ(late.find("BEGIN CERTIFICATE"), late.rfind("BEGIN CERTIFICATE")) << "an expired CA is dropped";
}

}  // namespace
}  // namespace tenon::webhooks
