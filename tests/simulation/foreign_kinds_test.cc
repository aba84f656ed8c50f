// NodePools, NodeClaims and Nodes of another provider in the same cluster: nothing is written to them, and no event,
// metric or log line names them; our own nodes beside them are not affected.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/json.h"
#include "json/yaml.h"
#include "simulation/life.h"

namespace tenon::simulation {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

const kubesim::Resource kPools{"karpenter.sh", "nodepools"};
const kubesim::Resource kClaims{"karpenter.sh", "nodeclaims"};
const kubesim::Resource kNodes{"", "nodes"};

// Its class has the name of ours, and its replicas are missing.
constexpr const char* kPool = R"(
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: aks-pool}
spec:
  replicas: 3
  template:
    spec:
      nodeClassRef: {group: karpenter.azure.com, kind: AKSNodeClass, name: default}
      requirements: [{key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}]
  limits: {nodes: "5"}
)";

std::string claim(const std::string& name) {
  return R"(
apiVersion: karpenter.sh/v1
kind: NodeClaim
metadata:
  name: )" +
         name + R"(
  labels: {karpenter.sh/nodepool: aks-pool, karpenter.azure.com/aksnodeclass: default}
  finalizers: [karpenter.sh/termination]
spec:
  nodeClassRef: {group: karpenter.azure.com, kind: AKSNodeClass, name: default}
  requirements: [{key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}]
  expireAfter: 10m
)";
}

constexpr const char* kNode = R"(
apiVersion: v1
kind: Node
metadata:
  name: aks-node
  labels:
    karpenter.sh/nodepool: aks-pool
    karpenter.sh/registered: "true"
    karpenter.azure.com/aksnodeclass: default
    node.kubernetes.io/instance-type: Standard_D2
  finalizers: [karpenter.sh/termination]
spec: {providerID: "azure:///aks-launched", taints: [{key: azure, effect: NoSchedule}]}
)";

// The state that its own controllers leave when its Node has joined and its instance has ended meanwhile.
json::value launched_status() {
  json::array conditions;
  for (const char* type : {"Launched", "Registered", "Initialized"}) {
    conditions.push_back(json::object{{"type", type},
                                      {"status", "True"},
                                      {"reason", type},
                                      {"message", ""},
                                      {"lastTransitionTime", "2026-01-01T00:00:00Z"}});
  }
  const json::object status{
      {"providerID", "azure:///aks-launched"}, {"nodeName", "aks-node"}, {"conditions", conditions}};
  return json::object{{"status", status}};
}

TEST(ForeignKinds, AreNeitherTouchedNorTold) {
  std::vector<std::string> writes;
  LifeOptions options;
  options.types = {"m5.large"};
  options.pod_millicores = 1500;
  options.pod_mib = 1024;
  options.decisions = cli::default_decisions({.node_repair = true, .static_capacity = true});
  options.kube_wire = [&](const Passing& passing) {
    const http::Request& request = passing.request;
    if (request.method != "GET") writes.push_back(request.method + " " + request.url + " " + request.body);
    return passing.perform();
  };
  Life life(options);
  life.create(kPools, "", kPool);
  for (const char* name : {"aks-unlaunched", "aks-launched", "aks-deleting"}) life.create(kClaims, "", claim(name));
  ASSERT_TRUE(life.api().merge_patch(kClaims, "", "aks-launched", launched_status(), "status"));
  life.create(kNodes, "", kNode);
  life.remove(kClaims, "", "aks-deleting");
  life.scale(2);
  EXPECT_TRUE(life.run_until_running(2));
  life.run_for(20min);  // beyond every time limit, interval and expiry
  life.remove(kNodes, "", "aks-node");
  life.run_for(2min);
  life.scale(0);
  EXPECT_TRUE(life.settle());

  EXPECT_EQ(life.nodes().size(), 1u) << "our nodes went, the foreign one waits for its own controller";
  EXPECT_EQ(life.live_instances(), 0);
  for (const char* name : {"aks-unlaunched", "aks-launched", "aks-deleting"}) {
    const auto there = life.api().get(kClaims, "", name);
    ASSERT_TRUE(there) << name;
    EXPECT_EQ(json::array_at(**there, {"metadata", "finalizers"}).size(), 1u) << name;
  }
  EXPECT_TRUE(life.api().get(kPools, "", "aks-pool"));
  EXPECT_THAT(writes, Not(Contains(HasSubstr("aks"))));
  EXPECT_THAT(writes, Contains(HasSubstr("nodeclaims")));
  EXPECT_THAT(life.metrics(), Not(HasSubstr("aks")));
  EXPECT_THAT(life.decided(), Not(Contains(HasSubstr("aks"))));
  for (const auto& failure : life.failures()) EXPECT_THAT(failure.line, Not(HasSubstr("aks")));
}

}  // namespace
}  // namespace tenon::simulation
