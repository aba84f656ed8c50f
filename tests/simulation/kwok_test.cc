// The whole controller with --cloud kwok: a Deployment is scaled, and at the end each Node has its NodeClaim.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "cli/demo/sim_process.h"
#include "cli/demo/world.h"
#include "json/json.h"
#include "json/yaml.h"
#include "testing/roles.h"

namespace tenon::simulation {
namespace {

using ::testing::IsEmpty;

const kubesim::Resource kNodes{"", "nodes"}, kPods{"", "pods"}, kClaims{"karpenter.sh", "nodeclaims"},
    kClasses{"karpenter.kwok.sh", "kwoknodeclasses"}, kPools{"karpenter.sh", "nodepools"};

// Karpenter's manifests for kwok, and a Deployment: examples/kwok.
class Kwok : public ::testing::Test {
 protected:
  explicit Kwok(const std::string& delay = "") {
    cli::SimWorld::Options options;
    options.kwok = true;
    options.kube_wire = [this](std::unique_ptr<http::Transport> inner) {
      return tenon::testing::hold_to_roles(std::move(inner), refused_, {"rbac.yaml", "rbac-kwok.yaml"});
    };
    auto world = cli::SimWorld::make(std::move(options));
    EXPECT_TRUE(world) << world.error().message;
    world_ = std::move(*world);
    for (const char* file : {"karpenter.yaml", "inflate.yaml"}) {
      std::ifstream in(std::string(TENON_SOURCE_DIR "/examples/kwok/") + file);
      const std::string text((std::istreambuf_iterator<char>(in)), {});
      const auto documents = json::parse_yaml(text);
      EXPECT_TRUE(documents) << file;
      for (const json::value& document : *documents) create(document, delay);
    }
  }

  void create(json::value object, const std::string& delay) {
    const std::string kind(json::string_at(object, {"kind"}));
    if (kind == "KWOKNodeClass" && !delay.empty()) {
      json::ensure(object, {"spec", "nodeRegistrationDelay"}) = delay;
    }
    const kubesim::Resource resource = kind == "KWOKNodeClass" ? kClasses
                                       : kind == "NodePool"    ? kPools
                                                               : kubesim::Resource{"apps", "deployments"};
    const auto made = api().create(resource, kind == "Deployment" ? "default" : "", object);
    EXPECT_TRUE(made) << made.error().message;
  }
  kubesim::Api& api() { return world_->cluster().api(); }

  void scale(int replicas) {
    const json::value patch = json::object{{"spec", json::object{{"replicas", replicas}}}};
    ASSERT_TRUE(api().merge_patch({"apps", "deployments"}, "default", "inflate", patch));
  }
  int running() {
    int count = 0;
    const auto pods = api().list(kPods, "default");
    for (const auto& pod : pods->items) {
      count += json::string_at(*pod, {"status", "phase"}) == "Running" ? 1 : 0;
    }
    return count;
  }
  size_t count(const kubesim::Resource& resource) { return api().list(resource, "")->items.size(); }
  bool settles(int pods) {
    if (!world_->sim().run_until([&] { return running() == pods; }, 10min)) return false;
    world_->sim().run_for(10min);  // consolidation, garbage collection
    return running() == pods;
  }
  std::set<std::string> provider_ids(const kubesim::Resource& resource, const char* part) {
    std::set<std::string> ids;
    const auto objects = api().list(resource, "");
    for (const auto& object : objects->items) {
      ids.emplace(json::string_at(*object, {part, "providerID"}));
    }
    return ids;
  }
  std::string first_name(const kubesim::Resource& resource) {
    const auto objects = api().list(resource, "");
    if (objects->items.empty()) return {};
    return std::string(json::string_at(*objects->items.front(), {"metadata", "name"}));
  }
  void expect_nodes_are_claims() {
    EXPECT_EQ(provider_ids(kNodes, "spec"), provider_ids(kClaims, "status"));
    EXPECT_EQ(count(kNodes), count(kClaims));
    EXPECT_THAT(refused_, IsEmpty()) << "deploy/rbac.yaml and deploy/rbac-kwok.yaml";
  }

  std::vector<std::string> refused_;
  std::unique_ptr<cli::SimWorld> world_;
};

TEST_F(Kwok, ADeploymentGrowsAndShrinks) {
  for (const auto& [pods, most_nodes] :
       {std::pair(5, 3U), std::pair(12, 5U), std::pair(5, 2U), std::pair(1, 1U), std::pair(0, 0U)}) {
    scale(pods);
    ASSERT_TRUE(settles(pods)) << pods;
    expect_nodes_are_claims();
    EXPECT_LE(count(kNodes), most_nodes) << pods;
    EXPECT_EQ(count(kNodes) > 0, pods > 0);
  }
  EXPECT_TRUE(world_->cluster().fake_aws().instances().empty()) << "AWS is not called";
}

TEST_F(Kwok, ANodeIsRegisteredAndInitializedAsKarpenterDoes) {
  scale(1);
  ASSERT_TRUE(settles(1));
  const auto nodes = api().list(kNodes, "");
  ASSERT_EQ(nodes->items.size(), 1u);
  const json::value& node = *nodes->items.front();
  for (const char* key : {"karpenter.sh/registered", "karpenter.sh/initialized"}) {
    EXPECT_EQ(json::string_at(node, {"metadata", "labels", key}), "true") << key;
  }
  EXPECT_EQ(json::string_at(node, {"metadata", "labels", "karpenter.kwok.sh/kwoknodeclass"}), "default");
  EXPECT_THAT(json::array_at(node, {"spec", "taints"}), IsEmpty());
  const auto claims = api().list(kClaims, "");
  ASSERT_EQ(claims->items.size(), 1u);
  const json::value& claim = *claims->items.front();
  EXPECT_EQ(json::string_at(claim, {"metadata", "annotations", "kwok.x-k8s.io/node"}), "fake");
  EXPECT_EQ(json::string_at(claim, {"metadata", "annotations", "karpenter.k8s.aws/tagged"}), "");
  EXPECT_EQ(json::string_at(claim, {"metadata", "labels", "karpenter.k8s.aws/ec2nodeclass"}), "");
  const auto node_class = api().get(kClasses, "", "default");
  EXPECT_EQ(json::find(**node_class, {"metadata", "finalizers"}), nullptr);
  EXPECT_EQ(json::find(**node_class, {"metadata", "annotations"}), nullptr);
  const json::array conditions = json::array_at(**node_class, {"status", "conditions"});
  ASSERT_EQ(conditions.size(), 1u);
  EXPECT_EQ(json::string_at(conditions.front(), {"type"}), "Ready");
  EXPECT_EQ(json::string_at(conditions.front(), {"status"}), "True");
}

TEST_F(Kwok, CrashesAndDeletionsLeaveNoOrphans) {
  scale(12);
  for (const Duration later : {1500ms, 2500ms, 4000ms, 7000ms}) {
    world_->sim().run_for(later);
    world_->stop_controllers();
    world_->sim().run_for(5s);
    ASSERT_TRUE(world_->start_controllers());
  }
  ASSERT_TRUE(settles(12));
  expect_nodes_are_claims();
  const std::string node = first_name(kNodes);
  ASSERT_TRUE(api().remove(kNodes, "", node));
  ASSERT_TRUE(settles(12));
  ASSERT_TRUE(api().remove(kClaims, "", first_name(kClaims)));
  ASSERT_TRUE(settles(12));
  expect_nodes_are_claims();
  ASSERT_TRUE(api().remove(kPools, "", "default"));
  world_->sim().run_for(10min);
  expect_nodes_are_claims();
  EXPECT_EQ(count(kNodes), 0u);
}

class SlowKwok : public Kwok {
 protected:
  SlowKwok() : Kwok("1m") {}
};

TEST_F(SlowKwok, NodesJoinAfterTheDelayOfTheirClass) {
  scale(3);
  world_->sim().run_for(30s);
  EXPECT_GT(count(kClaims), 0u);
  EXPECT_EQ(count(kNodes), 0u);
  ASSERT_TRUE(settles(3));
  expect_nodes_are_claims();
}

}  // namespace
}  // namespace tenon::simulation
