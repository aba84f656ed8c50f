// The workload controllers in a whole cluster, as users see them.
// SPDX-License-Identifier: Apache-2.0
#include "kubesim/workloads/workloads.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "json/json.h"
#include "kubesim/actors/testing/world.h"

namespace tenon::kubesim {
namespace {

using json::int_at;
using json::string_at;
using testing::deployment;
using testing::World;

class WorkloadsTest : public ::testing::Test {
 protected:
  World world_;
};

TEST_F(WorkloadsTest, ADaemonSetHasAPodOnEachFittingNode) {
  world_.add_node("n1");
  world_.add_node("n2", "4", "16Gi", "", "{key: dedicated, value: x, effect: NoSchedule}");
  world_.apply(R"(
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec: {containers: [{name: c, image: "pause:1"}]}
)");
  world_.run(1min);
  EXPECT_EQ(world_.placement("app=agent"), "n1:1") << "the other node's taint is not tolerated";
  world_.add_node("n3");
  world_.run(1min);
  EXPECT_EQ(world_.placement("app=agent"), "n1:1 n3:1");
  EXPECT_EQ(int_at(world_.status(kDaemonSets, "agent"), {"numberReady"}), 2);
  world_.patch(kDaemonSets, "default", "agent", "{spec: {template: {spec: {tolerations: [{operator: Exists}]}}}}");
  world_.run(2min);
  EXPECT_EQ(world_.placement("app=agent"), "n1:1 n2:1 n3:1");
}

TEST_F(WorkloadsTest, AStatefulSetGrowsInOrder) {
  world_.add_node("n1");
  world_.apply(R"(
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  replicas: 3
  serviceName: db
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: c, image: "pause:1"}]}
)");
  std::vector<std::string> seen;
  for (int second = 0; second < 60; ++second) {
    world_.run(1s);
    for (const std::string& name : world_.names(kPods, "app=db")) {
      if (std::find(seen.begin(), seen.end(), name) == seen.end()) seen.push_back(name);
    }
  }
  EXPECT_EQ(seen, (std::vector<std::string>{"db-0", "db-1", "db-2"}));
  world_.patch(kStatefulSets, "default", "db", "{spec: {replicas: 1}}");
  world_.run(1min);
  EXPECT_EQ(world_.names(kPods, "app=db"), std::vector<std::string>{"db-0"});
}

TEST_F(WorkloadsTest, AJobMakesItsPodsAndSelectsThemByUid) {
  world_.add_node("n1");
  world_.apply(R"(
apiVersion: batch/v1
kind: Job
metadata: {name: once}
spec:
  parallelism: 2
  completions: 2
  template: {spec: {restartPolicy: Never, containers: [{name: c, image: "pause:1"}]}}
)");
  world_.run(30s);
  EXPECT_EQ(world_.list(kPods, "batch.kubernetes.io/job-name=once").size(), 2u);
  const Object job = world_.get(kJobs, "default", "once");
  EXPECT_EQ(string_at(*job, {"spec", "selector", "matchLabels", "batch.kubernetes.io/controller-uid"}),
            string_at(*job, {"metadata", "uid"}));
}

TEST_F(WorkloadsTest, ABudgetCountsWhatMayGo) {
  world_.add_node("n1");
  world_.apply(deployment("web", 3, "100m"));
  world_.apply(R"(
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: keep}
spec: {minAvailable: 2, selector: {matchLabels: {app: web}}}
)");
  world_.run(1min);
  EXPECT_EQ(int_at(world_.status(kBudgets, "keep"), {"disruptionsAllowed"}), 1);
  EXPECT_EQ(int_at(world_.status(kBudgets, "keep"), {"expectedPods"}), 3);
  const auto pods = world_.names(kPods, "app=web");
  EXPECT_EQ(world_.evict(pods[0]), 201);
  EXPECT_EQ(world_.evict(pods[1]), 429);
  EXPECT_EQ(int_at(world_.status(kBudgets, "keep"), {"disruptionsAllowed"}), 0);
  world_.run(2min);
  EXPECT_EQ(int_at(world_.status(kBudgets, "keep"), {"disruptionsAllowed"}), 1) << "a new pod has taken its place";
}

TEST_F(WorkloadsTest, ABudgetInPercentRoundsUp) {
  world_.add_node("n1");
  world_.apply(deployment("web", 5, "100m"));
  world_.apply(R"(
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: half}
spec: {minAvailable: "50%", selector: {matchLabels: {app: web}}}
)");
  world_.run(1min);
  EXPECT_EQ(int_at(world_.status(kBudgets, "half"), {"desiredHealthy"}), 3);
  EXPECT_EQ(int_at(world_.status(kBudgets, "half"), {"disruptionsAllowed"}), 2);
}

TEST_F(WorkloadsTest, ANodeThatIsNotReadyIsTaintedAndEmptied) {
  world_.add_node("n1");
  world_.apply(deployment("web", 1, "1",
                          "{tolerations: [{key: node.kubernetes.io/not-ready, operator: Exists, effect: "
                          "NoExecute, tolerationSeconds: 60}]}"));
  world_.run(1min);
  EXPECT_EQ(world_.placement("app=web"), "n1:1");
  const Object ready = world_.get(kNodes, "", "n1");
  EXPECT_TRUE(json::array_at(*ready, {"spec", "taints"}).empty()) << "the taint that it came with is gone";
  world_.patch(kNodes, "", "n1", "{spec: {unschedulable: true}}");
  world_.run(1s);
  const Object cordoned = world_.get(kNodes, "", "n1");
  ASSERT_EQ(json::array_at(*cordoned, {"spec", "taints"}).size(), 1u);
  EXPECT_EQ(string_at(json::array_at(*cordoned, {"spec", "taints"})[0], {"key"}), "node.kubernetes.io/unschedulable");
  EXPECT_EQ(world_.placement("app=web"), "n1:1") << "a cordon evicts nobody";
}

TEST_F(WorkloadsTest, AClaimWaitsForItsFirstPod) {
  world_.add_node("n1");
  world_.apply(R"(
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: later}
provisioner: ebs.csi.aws.com
volumeBindingMode: WaitForFirstConsumer
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: disk}
spec: {storageClassName: later, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
)");
  world_.run(1min);
  EXPECT_EQ(string_at(world_.status(kClaims, "disk"), {"phase"}), "Pending");
  world_.apply(R"(
apiVersion: v1
kind: Pod
metadata: {name: user}
spec:
  containers: [{name: c, image: "pause:1"}]
  volumes: [{name: v, persistentVolumeClaim: {claimName: disk}}]
)");
  world_.run(1min);
  EXPECT_EQ(string_at(world_.status(kClaims, "disk"), {"phase"}), "Bound");
  EXPECT_EQ(world_.list(kVolumes).size(), 1u);
}

TEST_F(WorkloadsTest, PodsOfANodeThatHasGoneAreCollected) {
  world_.add_node("n1");
  world_.apply(deployment("web", 1, "100m"));
  world_.run(1min);
  ASSERT_EQ(world_.placement("app=web"), "n1:1");
  ASSERT_TRUE(world_.api().remove(kNodes, "", "n1"));
  world_.run(5min);
  EXPECT_EQ(world_.placement("app=web"), "-:1") << "a new one waits for a node";
}

}  // namespace
}  // namespace tenon::kubesim
