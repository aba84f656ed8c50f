// SPDX-License-Identifier: Apache-2.0
#include "kubesim/kubelet/kubelets.h"

#include <gtest/gtest.h>

#include "json/json.h"
#include "kubesim/actors/testing/world.h"
#include "kubesim/actors/write.h"

namespace tenon::kubesim {
namespace {

using testing::deployment;
using testing::World;

constexpr std::string_view kUserData = R"(#!/bin/bash
/etc/eks/bootstrap.sh demo --kubelet-extra-args '--node-labels="team=a,karpenter.sh/capacity-type=spot")"
                                       R"( --register-with-taints="karpenter.sh/unregistered:NoExecute"'
)";

awssim::FakeInstance instance(Instant now, const std::string& id = "i-0123456789abcdef0") {
  awssim::FakeInstance made;
  made.id = id;
  made.type = "m5.large";
  made.arch = "amd64";
  made.zone = "us-east-1a";
  made.zone_id = "use1-az1";
  made.private_ip = "192.168.0.10";
  made.private_dns_name = "ip-192-168-0-10.ec2.internal";
  made.capacity_type = "spot";
  made.state = "running";
  made.user_data = kUserData;
  made.launched_at = now;
  made.running_at = now + 1s;
  return made;
}

constexpr std::string_view kNode = "ip-192-168-0-10.ec2.internal";

// A cloud that can only list instances.
class ListedAws : public awssim::FakeAws {
 public:
  explicit ListedAws(runtime::Runtime& runtime) : event_(runtime.make_event()) {}
  void each_instance(const std::function<void(const awssim::FakeInstance&)>& visit) const override {
    for (const awssim::FakeInstance& instance : list) visit(instance);
  }
  runtime::Event& changed() override { return *event_; }
  int calls(const std::string&) const override { return 0; }
  void scale_price(const std::string&, double) override {}
  bool warn(const std::string&, awssim::Notice) override { return false; }
  bool impair(const std::string&, awssim::StatusCheck) override { return false; }
  bool reclaim(const std::string&) override { return false; }
  std::string reserve(awssim::FakeReservation) override { return {}; }
  std::string make_placement_group(awssim::FakePlacementGroup) override { return {}; }
  bool cancel_reservation(const std::string&) override { return false; }
  void serve(const http::ServerRequest&, http::ResponseWriter&, const std::stop_token&) override {}

  std::vector<awssim::FakeInstance> list;

 private:
  std::unique_ptr<runtime::Event> event_;
};

class Machines : public ::testing::Test {
 protected:
  Object node() { return world_.get(kNodes, "", std::string(kNode)); }
  std::string ready() {
    const Object found = node();
    if (found == nullptr) return "no node";
    const json::value* condition = find_condition(*found, "Ready");
    return condition == nullptr ? "no condition" : std::string(json::string_at(*condition, {"status"}));
  }
  ListedAws& aws() { return static_cast<ListedAws&>(world_.aws()); }
  void launch() {
    aws().list.push_back(instance(world_.sim().now()));
    aws().changed().notify();
  }
  void terminate() {
    aws().list[0].state = "shutting-down";
    aws().list[0].terminated_at = world_.sim().now() + 1s;
    aws().changed().notify();
  }

  World world_{{.make_aws = [](runtime::Runtime& runtime) { return std::make_unique<ListedAws>(runtime); }}};
};

TEST_F(Machines, InstanceBootsJoinsAndBecomesReady) {
  launch();
  world_.run(20s + 900ms);
  EXPECT_EQ(ready(), "no node");
  world_.run(200ms);
  EXPECT_EQ(ready(), "False");
  EXPECT_EQ(json::array_at(*node(), {"spec", "taints"}).size(), 3u);  // unregistered, not-ready twice
  world_.run(4s + 800ms);
  EXPECT_EQ(ready(), "False");
  world_.run(200ms);
  EXPECT_EQ(ready(), "True");
  const json::array& taints = json::array_at(*node(), {"spec", "taints"});
  ASSERT_EQ(taints.size(), 1u);
  EXPECT_EQ(json::string_at(taints[0], {"key"}), "karpenter.sh/unregistered");
  EXPECT_EQ(world_.events("NodeReady").size(), 1u);
}

TEST_F(Machines, NodeSaysWhatItsTypeHas) {
  launch();
  world_.run(30s);
  const json::value& object = *node();
  EXPECT_EQ(json::string_at(object, {"spec", "providerID"}), "aws:///us-east-1a/i-0123456789abcdef0");
  EXPECT_EQ(json::string_at(object, {"status", "capacity", "cpu"}), "2");
  EXPECT_EQ(json::string_at(object, {"status", "capacity", "memory"}), "7577Mi");
  EXPECT_EQ(json::string_at(object, {"status", "capacity", "pods"}), "29");
  EXPECT_EQ(json::string_at(object, {"status", "allocatable", "cpu"}), "1930m");
  EXPECT_EQ(json::string_at(object, {"status", "allocatable", "memory"}), "6903Mi");
  EXPECT_EQ(json::string_at(object, {"status", "allocatable", "ephemeral-storage"}), "17Gi");
  const std::pair<const char*, const char*> labels[] = {{"team", "a"},
                                                        {"karpenter.sh/capacity-type", "spot"},
                                                        {"kubernetes.io/arch", "amd64"},
                                                        {"kubernetes.io/os", "linux"},
                                                        {"kubernetes.io/hostname", kNode.data()},
                                                        {"node.kubernetes.io/instance-type", "m5.large"},
                                                        {"topology.kubernetes.io/zone", "us-east-1a"},
                                                        {"topology.kubernetes.io/region", "us-east-1"},
                                                        {"topology.k8s.aws/zone-id", "use1-az1"}};
  for (const auto& [key, value] : labels) EXPECT_EQ(json::string_at(object, {"metadata", "labels", key}), value) << key;
  EXPECT_NE(world_.get(kLeases, "kube-node-lease", std::string(kNode)), nullptr);
}

TEST_F(Machines, ANodeThatWasMadeBeforeItsKubeletCameKeepsItsOwn) {
  launch();
  world_.apply("{apiVersion: v1, kind: Node, metadata: {name: " + std::string(kNode) +
               ", labels: {mine: yes-it-is}}, spec: {taints: [{key: early, effect: NoSchedule}]}}");
  world_.run(30s);
  EXPECT_EQ(ready(), "True");
  EXPECT_EQ(json::string_at(*node(), {"metadata", "labels", "mine"}), "yes-it-is");
  EXPECT_EQ(json::string_at(*node(), {"metadata", "labels", "team"}), "a");
  EXPECT_EQ(json::string_at(*node(), {"spec", "providerID"}), "aws:///us-east-1a/i-0123456789abcdef0");
  EXPECT_EQ(json::array_at(*node(), {"spec", "taints"}).size(), 1u);
}

TEST_F(Machines, AnInstanceOfAnotherClusterDoesNotJoin) {
  launch();
  aws().list[0].user_data = "#!/bin/bash\n/etc/eks/bootstrap.sh elsewhere\n";
  world_.run(60s);
  EXPECT_EQ(ready(), "no node");
}

TEST_F(Machines, AnInstanceThatEndsWhileBootingNeverJoins) {
  launch();
  world_.run(10s);
  terminate();
  world_.run(60s);
  EXPECT_EQ(ready(), "no node");
}

TEST_F(Machines, TheNodeOfATerminatedInstanceGoesAndItsPodsFollow) {
  launch();
  world_.run(30s);
  world_.patch(kNodes, "", std::string(kNode), "{spec: {taints: null}}");
  world_.apply(deployment("web", 2, "100m"));
  world_.run(5s);
  EXPECT_EQ(world_.running(), 2);
  terminate();
  world_.run(5s + 900ms);
  EXPECT_EQ(ready(), "True");  // the instances were not read yet
  world_.run(200ms);
  EXPECT_EQ(ready(), "no node");
  EXPECT_EQ(world_.get(kLeases, "kube-node-lease", std::string(kNode)), nullptr);
  world_.run(30s);
  EXPECT_EQ(world_.placement(), "-:2");
}

TEST_F(Machines, UnregisteredTaintKeepsPodsAway) {
  launch();
  world_.apply(deployment("web", 1, "100m"));
  world_.run(40s);
  EXPECT_EQ(world_.placement(), "-:1");
  world_.patch(kNodes, "", std::string(kNode), "{spec: {taints: null}}");
  world_.run(15s);
  EXPECT_EQ(world_.running(), 1);
}

TEST(Pods, StartAfterTheirDelayAndSayWhereTheyAre) {
  World world;
  world.add_node("n");
  world.run(3s);
  world.apply(deployment("web", 1, "100m", "{initContainers: [{name: first, image: i}]}"));
  world.run(500ms);
  const auto pod = [&] { return world.list(kPods)[0]; };
  EXPECT_EQ(json::string_at(*pod(), {"status", "phase"}), "Pending");
  EXPECT_EQ(json::string_at(json::array_at(*pod(), {"status", "containerStatuses"})[0], {"state", "waiting", "reason"}),
            "PodInitializing");
  world.run(1s);
  EXPECT_EQ(json::string_at(*pod(), {"status", "phase"}), "Running");
  EXPECT_TRUE(pod_is_ready(*pod()));
  EXPECT_NE(json::string_at(*pod(), {"status", "podIP"}), "");
  EXPECT_NE(json::string_at(*pod(), {"status", "hostIP"}), "");
  EXPECT_NE(json::string_at(*pod(), {"status", "startTime"}), "");
  EXPECT_TRUE(json::bool_at(json::array_at(*pod(), {"status", "containerStatuses"})[0], {"ready"}));
  EXPECT_EQ(json::string_at(json::array_at(*pod(), {"status", "initContainerStatuses"})[0],
                            {"state", "terminated", "reason"}),
            "Completed");
}

TEST(Pods, AnAnnotationSetsTheDelay) {
  World world;
  world.add_node("n");
  world.run(3s);
  world.apply(
      "{apiVersion: v1, kind: Pod, metadata: {name: slow, annotations: {pod-ready.stage.kwok.x-k8s.io/delay: 30s}}, "
      "spec: {containers: [{name: c, image: i}]}}");
  world.run(29s);
  EXPECT_EQ(world.running(), 0);
  world.run(2s);
  EXPECT_EQ(world.running(), 1);
}

TEST(Pods, DeletionTakesTheStopDelayButNoMoreThanTheGrace) {
  World world({.kubelet = {.pod_stop = 10s}});
  world.add_node("n");
  world.run(3s);
  for (const auto& [name, grace] : {std::pair{"long", "30"}, std::pair{"short", "2"}})
    world.apply(std::string("{apiVersion: v1, kind: Pod, metadata: {name: ") + name +
                "}, spec: {terminationGracePeriodSeconds: " + grace + ", containers: [{name: c, image: i}]}}");
  world.run(3s);
  for (const char* name : {"long", "short"}) ASSERT_TRUE(world.api().remove(kPods, "default", name));
  world.run(1s);
  EXPECT_EQ(world.list(kPods).size(), 2u);
  world.run(1s + 100ms);
  EXPECT_EQ(world.get(kPods, "default", "short"), nullptr);
  EXPECT_NE(world.get(kPods, "default", "long"), nullptr);
  world.run(8s);
  EXPECT_EQ(world.get(kPods, "default", "long"), nullptr);
}

TEST(Pods, AFinalizerKeepsTheObjectOfAnEndedPod) {
  World world;
  world.add_node("n");
  world.run(3s);
  world.apply(
      "{apiVersion: v1, kind: Pod, metadata: {name: held, finalizers: [example.com/hold]}, "
      "spec: {containers: [{name: c, image: i}]}}");
  world.run(3s);
  ASSERT_TRUE(world.api().remove(kPods, "default", "held"));
  world.run(5s);
  const Object held = world.get(kPods, "default", "held");
  ASSERT_NE(held, nullptr);
  EXPECT_EQ(json::string_at(*held, {"status", "phase"}), "Failed");
  world.patch(kPods, "default", "held", "{metadata: {finalizers: null}}");
  world.run(1s);
  EXPECT_EQ(world.get(kPods, "default", "held"), nullptr);
}

TEST(Pods, KwokNodesGetDefaultsForWhatTheyDoNotSay) {
  World world;
  world.apply("{apiVersion: v1, kind: Node, metadata: {name: bare, annotations: {kwok.x-k8s.io/node: fake}}}");
  world.run(3s);
  const Object bare = world.get(kNodes, "", "bare");
  EXPECT_TRUE(condition_is(*bare, "Ready", "True"));
  EXPECT_EQ(json::string_at(*bare, {"status", "allocatable", "cpu"}), "1k");
  EXPECT_EQ(json::array_at(*bare, {"spec", "taints"}).size(), 0u);
}

}  // namespace
}  // namespace tenon::kubesim
