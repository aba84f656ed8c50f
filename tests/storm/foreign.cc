// SPDX-License-Identifier: Apache-2.0
#include "storm/foreign.h"

#include <fmt/format.h>

#include "storm/objects.h"

namespace tenon::storm {
namespace {

using kubesim::Resource;

const Resource kPools{"karpenter.sh", "nodepools"}, kClaims{"karpenter.sh", "nodeclaims"};

constexpr const char* kForeignPool = R"(
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: foreign-pool}
spec:
  limits: {cpu: "1"}
  template:
    spec:
      nodeClassRef: {group: karpenter.azure.com, kind: AKSNodeClass, name: default}
      requirements: [{key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}]
      expireAfter: 10m
  disruption: {consolidateAfter: 0s, budgets: [{nodes: "100%"}]}
)";
constexpr const char* kForeignClaim = R"(
apiVersion: karpenter.sh/v1
kind: NodeClaim
metadata: {name: foreign-NAME, labels: {karpenter.sh/nodepool: foreign-pool, karpenter.sh/capacity-type: on-demand}}
spec:
  nodeClassRef: {group: karpenter.azure.com, kind: AKSNodeClass, name: default}
  requirements: [{key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}]
  expireAfter: 10m
)";
constexpr const char* kForeignNode = R"(
apiVersion: v1
kind: Node
metadata:
  name: foreign-node
  labels:
    karpenter.sh/nodepool: foreign-pool
    karpenter.sh/capacity-type: on-demand
    karpenter.sh/registered: "true"
    karpenter.sh/initialized: "true"
    kubernetes.io/hostname: foreign-node
    topology.kubernetes.io/zone: us-east-1a
spec:
  providerID: azure:///vm-1
  taints: [{key: example.com/other, effect: NoSchedule}]
)";
constexpr const char* kForeignPod = R"(
apiVersion: v1
kind: Pod
metadata: {name: foreign-pod, namespace: default, labels: {app: foreign}}
spec:
  nodeName: foreign-node
  containers: [{name: main, image: pause, resources: {requests: {cpu: 100m}}}]
)";

}  // namespace

void create_foreign_objects(kubesim::Api& api) {
  create_object(api, kPools, "", kForeignPool);
  for (const char* name : {"old", "young"}) {
    std::string claim = kForeignClaim;
    create_object(api, kClaims, "", claim.replace(claim.find("NAME"), 4, name));
  }
  patch_object(
      api, kClaims, "", "foreign-old",
      R"({"status":{"providerID":"azure:///vm-1","nodeName":"foreign-node","conditions":[)"
      R"({"type":"Launched","status":"True","reason":"Launched","lastTransitionTime":"2026-09-01T00:00:00Z"},)"
      R"({"type":"Registered","status":"True","reason":"Registered","lastTransitionTime":"2026-09-01T00:00:00Z"},)"
      R"({"type":"Initialized","status":"True","reason":"Initialized","lastTransitionTime":"2026-09-01T00:00:00Z"}]}})",
      "status");
  create_object(api, {"", "nodes"}, "", kForeignNode);
  patch_object(
      api, {"", "nodes"}, "", "foreign-node",
      R"({"status":{"allocatable":{"cpu":"4","memory":"8Gi","pods":"20"},"capacity":{"cpu":"4","memory":"8Gi",)"
      R"("pods":"20"},"conditions":[{"type":"Ready","status":"True","reason":"KubeletReady"}]}})",
      "status");
  create_object(api, {"", "pods"}, "default", kForeignPod);
  patch_object(api, {"", "pods"}, "default", "foreign-pod", R"({"status":{"phase":"Running"}})", "status");
}

void edit_foreign_pool(kubesim::Api& api, Prng& prng) {
  patch_object(
      api, kPools, "", "foreign-pool",
      fmt::format(R"({{"spec":{{"template":{{"metadata":{{"labels":{{"team":"t{}"}}}}}}}}}})", prng.below(100)));
}

}  // namespace tenon::storm
