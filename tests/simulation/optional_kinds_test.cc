// NodeOverlays and CapacityBuffers in the live controllers, over the API server's wire form.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "schema/builtin_crds.h"
#include "simulation/life.h"

namespace tenon::simulation {
namespace {

const kubesim::Resource kOverlays{"karpenter.sh", "nodeoverlays"};
const kubesim::Resource kBuffers{"autoscaling.x-k8s.io", "capacitybuffers"};

LifeOptions options_with(cli::Gates gates) {
  LifeOptions options;
  options.types = {"c5.large", "m5.large"};  // the first is cheaper
  options.pod_millicores = 100;
  options.pod_mib = 1024;
  options.decisions = cli::default_decisions(gates);
  options.optional_crds = true;
  return options;
}

std::string overlay(const std::string& name, const std::string& price) {
  return R"(
apiVersion: karpenter.sh/v1alpha1
kind: NodeOverlay
metadata: {name: )" +
         name + R"(}
spec:
  requirements: [{key: node.kubernetes.io/instance-type, operator: In, values: [m5.large]}]
  price: ")" +
         price +
         R"("
)";
}

constexpr const char* kTemplate = R"(
apiVersion: v1
kind: PodTemplate
metadata: {name: spare, namespace: default}
template:
  metadata: {labels: {app: spare}}
  spec:
    containers: [{name: c, image: pause, resources: {requests: {cpu: 500m, memory: 1Gi}}}]
)";
constexpr const char* kBuffer = R"(
apiVersion: autoscaling.x-k8s.io/v1beta1
kind: CapacityBuffer
metadata: {name: spare, namespace: default}
spec: {podTemplateRef: {name: spare}, replicas: 2}
)";

std::string first_type(const Life& life) {
  const auto nodes = life.nodes();
  return nodes.empty() ? "" : nodes.front().type;
}

TEST(CapacityBuffers, KeepANodeForPodsThatMayComeUntilTheyAreDeleted) {
  Life life(options_with({.capacity_buffers = true}));
  life.create(kBuffers, "default", kBuffer);
  ASSERT_TRUE(life.settle());
  EXPECT_TRUE(life.nodes().empty());
  EXPECT_EQ(life.condition(kBuffers, "default", "spare", "ReadyForProvisioning"),
            "False PodTemplateNotFound: PodTemplate \"spare\" not found");
  life.create({"", "podtemplates"}, "default", kTemplate);
  ASSERT_TRUE(life.settle());
  ASSERT_EQ(life.nodes().size(), 1u);
  EXPECT_EQ(life.condition(kBuffers, "default", "spare", "Provisioning"),
            "True FitsExistingCapacity: All 2 virtual pods fit on existing capacity");
  const std::string kept = life.nodes().front().name;
  life.run_for(1h);
  ASSERT_EQ(life.nodes().size(), 1u);
  EXPECT_EQ(life.nodes().front().name, kept);
  life.crash();
  life.run_for(10min);
  life.restart();
  life.run_for(10min);
  ASSERT_EQ(life.nodes().size(), 1u) << "a controller that has just started knows the buffer before it decides";
  life.remove(kBuffers, "default", "spare");
  ASSERT_TRUE(life.settle());
  EXPECT_TRUE(life.nodes().empty());
  EXPECT_EQ(life.live_instances(), 0);
}

TEST(CapacityBuffers, PodsTakeTheRoomAndTheBufferGetsNewRoom) {
  Life life(options_with({.capacity_buffers = true}));
  life.create({"", "podtemplates"}, "default", kTemplate);
  life.create(kBuffers, "default", kBuffer);
  ASSERT_TRUE(life.settle());
  ASSERT_EQ(life.nodes().size(), 1u);
  const Instant scaled = life.now();
  life.scale(2);
  ASSERT_TRUE(life.run_until_running(2));
  EXPECT_LT(life.now() - scaled, 10s) << "no node had to boot";
  ASSERT_TRUE(life.settle());
  EXPECT_EQ(life.condition(kBuffers, "default", "spare", "Provisioning").substr(0, 4), "True");
  EXPECT_GE(life.nodes().size(), 1u);
}

TEST(NodeOverlays, APriceDecidesWhatIsLaunched) {
  Life life(options_with({.node_overlays = true}));
  life.scale(1);
  ASSERT_TRUE(life.settle());
  EXPECT_EQ(first_type(life), "c5.large");
  life.scale(0);
  ASSERT_TRUE(life.settle());
  ASSERT_TRUE(life.nodes().empty());
  life.create(kOverlays, "", overlay("cheap", "0.01"));
  life.run_for(5s);
  EXPECT_EQ(life.condition(kOverlays, "", "cheap", "Ready"), "True Ready");
  life.scale(1);
  ASSERT_TRUE(life.settle());
  EXPECT_EQ(first_type(life), "m5.large");
  life.create(kOverlays, "", overlay("also", "0.02"));
  life.run_for(5s);
  EXPECT_EQ(life.condition(kOverlays, "", "also", "ValidationSucceeded"),
            "False Conflict: conflict with another overlay");
  EXPECT_EQ(life.condition(kOverlays, "", "cheap", "Ready"), "True Ready");
}

TEST(OptionalKinds, AreNotMissedAndPickedUpWhenTheyAppear) {
  LifeOptions options = options_with({.node_overlays = true, .capacity_buffers = true});
  options.optional_crds = false;
  Life life(options);
  life.scale(1);
  ASSERT_TRUE(life.settle());
  EXPECT_EQ(first_type(life), "c5.large");
  const auto told = std::count(life.decided().begin(), life.decided().end(),
                               "there is no NodeOverlay: its CustomResourceDefinition is not installed; it is looked "
                               "for again");
  EXPECT_EQ(told, 1);
  for (const auto& [file, yaml] : schema::optional_crds()) {
    life.create({"apiextensions.k8s.io", "customresourcedefinitions"}, "", std::string(yaml));
  }
  life.scale(0);
  ASSERT_TRUE(life.settle());
  life.create(kOverlays, "", overlay("cheap", "0.01"));
  life.scale(1);
  ASSERT_TRUE(life.settle());
  EXPECT_EQ(first_type(life), "m5.large");
}

TEST(OptionalKinds, ChangeNothingWithoutTheirGates) {
  Life life(options_with({}));
  life.create({"", "podtemplates"}, "default", kTemplate);
  life.create(kBuffers, "default", kBuffer);
  life.create(kOverlays, "", overlay("cheap", "0.01"));
  life.scale(1);
  ASSERT_TRUE(life.settle());
  ASSERT_EQ(life.nodes().size(), 1u);
  EXPECT_EQ(first_type(life), "c5.large");
  EXPECT_EQ(life.condition(kOverlays, "", "cheap", "Ready"), "");
}

}  // namespace
}  // namespace tenon::simulation
