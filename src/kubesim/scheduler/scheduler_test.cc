// SPDX-License-Identifier: Apache-2.0
#include "kubesim/scheduler/scheduler.h"

#include <gtest/gtest.h>

#include "json/json.h"
#include "kubesim/actors/testing/world.h"

namespace tenon::kubesim {
namespace {

using testing::deployment;
using testing::World;

std::string pod(const std::string& name, const std::string& spec, const std::string& labels = "app: x") {
  return "{apiVersion: v1, kind: Pod, metadata: {name: " + name + ", labels: {" + labels +
         "}}, spec: {containers: [{name: c, image: i, resources: {requests: {cpu: '1'}}}], " + spec + "}}";
}

std::string node_of(World& world, const std::string& name) {
  const Object found = world.get(kPods, "default", name);
  return found == nullptr ? "gone" : std::string(node_name_of(*found));
}

std::string why_pending(World& world, const std::string& name) {
  const Object found = world.get(kPods, "default", name);
  const json::value* condition = find_condition(*found, "PodScheduled");
  return condition == nullptr ? "" : std::string(json::string_at(*condition, {"message"}));
}

TEST(Scheduler, SpreadsPodsOfADeploymentOverEqualNodes) {
  World world;
  for (const char* name : {"n1", "n2", "n3"}) world.add_node(name);
  world.run(3s);
  world.apply(deployment("web", 6, "1"));
  world.run(5s);
  EXPECT_EQ(world.placement(), "n1:2 n2:2 n3:2");
  EXPECT_EQ(world.running(), 6);
  EXPECT_EQ(world.events("Scheduled").size(), 6u);
  EXPECT_TRUE(world.events("Scheduled")[0].starts_with("Successfully assigned default/web-"));
}

TEST(Scheduler, NoNodeAtAll) {
  World world;
  world.apply(pod("a", ""));
  world.run(1s);
  EXPECT_EQ(why_pending(world, "a"), "no nodes available to schedule pods");
  const Object found = world.get(kPods, "default", "a");
  EXPECT_EQ(json::string_at(*find_condition(*found, "PodScheduled"), {"reason"}), "Unschedulable");
  EXPECT_EQ(world.events("FailedScheduling"), std::vector<std::string>{"no nodes available to schedule pods"});
}

TEST(Scheduler, TellsWhyNoNodeWillDo) {
  World world;
  world.add_node("full", "500m");
  world.add_node("tainted", "8", "16Gi", "", "{key: team, value: a, effect: NoSchedule}");
  world.add_node("other", "8", "16Gi", "kind: other");
  world.add_node("cordoned", "8");
  world.patch(kNodes, "", "cordoned", "{spec: {unschedulable: true}}");
  world.run(3s);
  world.apply(pod("a",
                  "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
                  "[{matchExpressions: [{key: kind, operator: DoesNotExist}]}]}}}"));
  world.run(1s);
  EXPECT_EQ(why_pending(world, "a"),
            "0/4 nodes are available: 1 Insufficient cpu, 1 node(s) didn't match Pod's node affinity/selector, "
            "1 node(s) had untolerated taint(s), 1 node(s) were unschedulable. "
            "preemption: 0/4 nodes are available: 4 Preemption is not helpful for scheduling.");
}

TEST(Scheduler, RetriesWhenANodeComes) {
  World world;
  world.add_node("small", "500m");
  world.run(2s);
  world.apply(pod("a", ""));
  world.run(30s);
  EXPECT_EQ(node_of(world, "a"), "");
  world.add_node("big", "4");
  world.run(3s);
  EXPECT_EQ(node_of(world, "a"), "big");
}

TEST(Scheduler, RetriesWhenAPodGoesAndNotBefore) {
  World world;
  world.add_node("n", "1");
  world.run(2s);
  world.apply(pod("a", ""));
  world.run(2s);
  world.apply(pod("b", ""));
  world.run(60s);
  EXPECT_EQ(why_pending(world, "b"),
            "0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: "
            "1 No preemption victims found for incoming pod.");
  for (const Object& event : world.list({"", "events"}))
    if (json::string_at(*event, {"reason"}) == "FailedScheduling") {
      EXPECT_EQ(json::int_at(*event, {"count"}), 1);
    }
  ASSERT_TRUE(world.api().remove(kPods, "default", "a"));
  world.run(5s);
  EXPECT_EQ(node_of(world, "b"), "n");
}

TEST(Scheduler, TolerationsOpenTaintedNodes) {
  World world;
  world.add_node("tainted", "8", "16Gi", "", "{key: team, value: a, effect: NoSchedule}");
  world.run(2s);
  world.apply(pod("a", "tolerations: [{key: team, operator: Equal, value: a, effect: NoSchedule}]"));
  world.apply(pod("b", "tolerations: [{key: team, operator: Equal, value: b, effect: NoSchedule}]"));
  world.run(2s);
  EXPECT_EQ(node_of(world, "a"), "tainted");
  EXPECT_EQ(node_of(world, "b"), "");
}

TEST(Scheduler, AntiAffinityPutsOnePodPerHost) {
  World world;
  for (const char* name : {"n1", "n2"}) world.add_node(name, "8");
  world.run(2s);
  world.apply(deployment("web", 3, "100m",
                         "{affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: "
                         "kubernetes.io/hostname, labelSelector: {matchLabels: {app: web}}}]}}}"));
  world.run(3s);
  EXPECT_EQ(world.placement(), "-:1 n1:1 n2:1");
  world.add_node("n3", "8");
  world.run(3s);
  EXPECT_EQ(world.placement(), "n1:1 n2:1 n3:1");
}

TEST(Scheduler, AffinityJoinsThePodsItNames) {
  World world;
  world.add_node("a1", "8", "16Gi", "topology.kubernetes.io/zone: a");
  world.add_node("b1", "8", "16Gi", "topology.kubernetes.io/zone: b");
  world.run(2s);
  const std::string near_db =
      "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: "
      "topology.kubernetes.io/zone, labelSelector: {matchLabels: {app: db}}}]}}";
  world.apply(pod("early", near_db));
  world.run(2s);
  EXPECT_EQ(why_pending(world, "early").substr(0, 69),
            "0/2 nodes are available: 2 node(s) didn't match pod affinity rules. p");
  world.apply(pod("db", "nodeSelector: {topology.kubernetes.io/zone: b}", "app: db"));
  world.run(15s);
  EXPECT_EQ(node_of(world, "early"), "b1");
}

TEST(Scheduler, SpreadConstraintHoldsOverZones) {
  World world;
  world.add_node("a1", "8", "16Gi", "topology.kubernetes.io/zone: a");
  world.add_node("a2", "8", "16Gi", "topology.kubernetes.io/zone: a");
  world.add_node("b1", "2", "16Gi", "topology.kubernetes.io/zone: b");
  world.run(2s);
  world.apply(deployment("web", 8, "1",
                         "{topologySpreadConstraints: [{maxSkew: 1, topologyKey: topology.kubernetes.io/zone, "
                         "whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}}]}"));
  world.run(3s);
  const std::string placed = world.placement();  // b has room for two, so a may hold three
  EXPECT_TRUE(placed == "-:3 a1:2 a2:1 b1:2" || placed == "-:3 a1:1 a2:2 b1:2") << placed;
}

TEST(Scheduler, HigherPriorityGoesFirstAndPreempts) {
  World world;
  world.apply("{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 1000}");
  world.add_node("n", "1");
  world.run(2s);
  world.apply(pod("low", ""));
  world.run(3s);
  EXPECT_EQ(node_of(world, "low"), "n");
  world.apply(pod("high", "priorityClassName: high"));
  world.run(40s);
  EXPECT_EQ(node_of(world, "high"), "n");
  EXPECT_EQ(node_of(world, "low"), "gone");
  EXPECT_EQ(world.events("Preempted").size(), 1u);
}

TEST(Scheduler, HostPortsCollide) {
  World world;
  world.add_node("n", "8");
  world.run(2s);
  for (const char* name : {"a", "b"})
    world.apply(std::string("{apiVersion: v1, kind: Pod, metadata: {name: ") + name +
                "}, spec: {containers: [{name: c, image: i, ports: [{containerPort: 80, hostPort: 80}]}]}}");
  world.run(2s);
  EXPECT_EQ(world.placement(), "-:1 n:1");
  EXPECT_EQ(why_pending(world, "b").substr(0, 88),
            "0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports. p");
}

TEST(Scheduler, GatedPodsWait) {
  World world;
  world.add_node("n", "8");
  world.run(2s);
  world.apply(pod("a", "schedulingGates: [{name: wait.for/it}]"));
  world.run(5s);
  EXPECT_EQ(node_of(world, "a"), "");
  EXPECT_EQ(world.events("FailedScheduling").size(), 0u);
  world.patch(kPods, "default", "a", "{spec: {schedulingGates: null}}");
  world.run(2s);
  EXPECT_EQ(node_of(world, "a"), "n");
}

TEST(Scheduler, OtherSchedulersPodsAreLeftAlone) {
  World world;
  world.add_node("n", "8");
  world.run(2s);
  world.apply(pod("a", "schedulerName: mine"));
  world.run(5s);
  EXPECT_EQ(node_of(world, "a"), "");
  EXPECT_EQ(world.events("FailedScheduling").size(), 0u);
}

TEST(Scheduler, PodCountIsALimit) {
  World world;
  world.add_node("n", "64");
  world.run(2s);
  world.apply(deployment("many", 111, "1m"));
  world.run(10s);
  EXPECT_EQ(world.placement(), "-:1 n:110");
}

constexpr std::string_view kVolumeWorld = R"(
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: ebs}
provisioner: ebs.csi.aws.com
volumeBindingMode: WaitForFirstConsumer
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {storageClassName: ebs, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
)";

TEST(Scheduler, VolumesAreMadeWhereThePodGoesAndKeepItThere) {
  World world;
  world.add_node("a1", "1", "16Gi", "topology.kubernetes.io/zone: a");
  world.add_node("b1", "8", "16Gi", "topology.kubernetes.io/zone: b");
  world.run(2s);
  world.apply(kVolumeWorld);
  const std::string with_data = "volumes: [{name: d, persistentVolumeClaim: {claimName: data}}]";
  world.apply(pod("first", with_data + ", nodeSelector: {topology.kubernetes.io/zone: a}"));
  world.run(3s);
  EXPECT_EQ(node_of(world, "first"), "a1");
  const Object claim = world.get(kClaims, "default", "data");
  EXPECT_EQ(json::string_at(*claim, {"status", "phase"}), "Bound");
  ASSERT_TRUE(world.api().remove(kPods, "default", "first"));
  world.run(3s);
  world.patch(kNodes, "", "a1", "{spec: {unschedulable: true}}");
  world.run(1s);
  world.apply(pod("second", with_data));
  world.run(3s);
  EXPECT_EQ(why_pending(world, "second").substr(0, 108),
            "0/2 nodes are available: 1 node(s) had volume node affinity conflict, 1 node(s) were unschedulable. "
            "preempti");
  world.patch(kNodes, "", "a1", "{spec: {unschedulable: null}}");
  world.run(15s);
  EXPECT_EQ(node_of(world, "second"), "a1");
}

TEST(Scheduler, AMissingClaimIsNamed) {
  World world;
  world.add_node("n", "8");
  world.run(2s);
  world.apply(pod("a", "volumes: [{name: d, persistentVolumeClaim: {claimName: nowhere}}]"));
  world.run(1s);
  EXPECT_EQ(why_pending(world, "a"),
            "0/1 nodes are available: persistentvolumeclaim \"nowhere\" not found. preemption: 0/1 nodes are "
            "available: 1 Preemption is not helpful for scheduling.");
}

TEST(Scheduler, TheSameSeedGivesTheSameTrace) {
  const auto trace = [](uint64_t seed) {
    World world({.seed = seed});
    for (int i = 0; i < 5; ++i) world.add_node("n" + std::to_string(i));
    world.apply(deployment("web", 12, "1"));
    world.run(30s);
    return std::pair(world.sim().trace_hash(), world.placement());
  };
  EXPECT_EQ(trace(7), trace(7));
}

}  // namespace
}  // namespace tenon::kubesim
