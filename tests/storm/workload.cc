// SPDX-License-Identifier: Apache-2.0
#include "storm/workload.h"

#include <fmt/format.h>

#include "json/json.h"
#include "storm/foreign.h"
#include "storm/objects.h"
#include "storm/truth.h"
#include "testing/demo_node_class.h"

namespace tenon::storm {
namespace {

using kubesim::Resource;

const Resource kPools{"karpenter.sh", "nodepools"}, kNodeClasses{"karpenter.k8s.aws", "ec2nodeclasses"};
const Resource kProvisioners{"karpenter.sh", "provisioners"}, kNodeTemplates{"karpenter.k8s.aws", "awsnodetemplates"};
const Resource kDeployments{"apps", "deployments"}, kDaemonSets{"apps", "daemonsets"};
const Resource kBudgets{"policy", "poddisruptionbudgets"};
constexpr int kMostReplicas = 5;  // of a Deployment; some twenty nodes in all

std::string node_pool(const std::string& name, const std::string& capacity, int weight, const std::string& extra,
                      const std::string& bounds) {
  return fmt::format(R"(
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {{name: {}}}
spec:
  weight: {}
  limits: {{cpu: "48"}}
  template:
    spec:
      nodeClassRef: {{group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}}
      {}
      requirements:
      - {{key: karpenter.sh/capacity-type, operator: In, values: [{}]}}
      - key: node.kubernetes.io/instance-type
        operator: In
        values: [c5.large, m5.large, r5.large, c5.xlarge, m5.xlarge, r5.xlarge, c5.2xlarge, m5.2xlarge]
      {}
  disruption:
    consolidateAfter: 30s
    budgets: [{{nodes: "2"}}]
)",
                     name, weight, extra, capacity, bounds);
}

// All types of the NodePools satisfy these bounds.
constexpr const char* kCpuBounds =
    R"(- {key: karpenter.k8s.aws/instance-cpu, operator: Gt, values: ["1"]}
      - {key: karpenter.k8s.aws/instance-cpu, operator: Lt, values: ["9"]})";
constexpr const char* kOtherBounds =
    R"(- {key: karpenter.k8s.aws/instance-memory, operator: Gt, values: ["2048"]}
      - {key: karpenter.k8s.aws/instance-generation, operator: Lt, values: ["6"]})";

// The pool of the earlier API. It comes before the NodePools, and its limit leaves most pods to them.
constexpr const char* kEarlierPool = R"(
apiVersion: karpenter.sh/v1alpha5
kind: Provisioner
metadata: {name: general}
spec:
  weight: 20
  limits: {resources: {cpu: "16"}}
  ttlSecondsUntilExpired: 1500
  consolidation: {enabled: true}
  providerRef: {name: default}
  requirements:
  - {key: karpenter.sh/capacity-type, operator: In, values: [spot, on-demand]}
  - {key: node.kubernetes.io/instance-type, operator: In, values: [c5.large, m5.large, r5.large, m5.xlarge, c5.2xlarge]}
)";
constexpr const char* kEarlierClass = R"(
apiVersion: karpenter.k8s.aws/v1alpha1
kind: AWSNodeTemplate
metadata: {name: default}
spec:
  instanceProfile: KarpenterNodeInstanceProfile-demo
  subnetSelector: {karpenter.sh/discovery: demo}
  securityGroupSelector: {karpenter.sh/discovery: demo}
)";

// On a new node it comes before all other pods, which could fill the node otherwise.
constexpr const char* kAgent = R"(
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent, namespace: default}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec:
      tolerations:
      - {key: karpenter.sh/unregistered, operator: Exists}
      - {key: node.kubernetes.io/not-ready, operator: Exists}
      containers:
      - name: agent
        image: pause
        resources: {requests: {cpu: 200m, memory: 256Mi}}
)";

struct Manner {
  const char* name;
  const char* pod;  // of the pod's spec
};
constexpr Manner kManners[] = {
    {"plain", ""},
    {"slow", "terminationGracePeriodSeconds: 60"},
    {"apart",
     "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
     "[{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: apart}}}]}}"},
    {"spread",
     "topologySpreadConstraints: [{maxSkew: 1, topologyKey: topology.kubernetes.io/zone, "
     "whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: spread}}}]"},
    {"guarded", "terminationGracePeriodSeconds: 5"},
    {"spot-only", "nodeSelector: {karpenter.sh/capacity-type: spot}"},
};

// Never scaled: three small pods that share the zones, on nodes with room for others.
constexpr Manner kZonal{
    "zonal",
    "topologySpreadConstraints: [{maxSkew: 1, minDomains: 2, topologyKey: topology.kubernetes.io/zone, "
    "whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: zonal}}}]"};
constexpr int kZonalMillicores = 200, kZonalMib = 256, kZonalReplicas = 3;

std::string deployment(const Manner& manner, int64_t millicores, int64_t mib) {
  return fmt::format(R"(
apiVersion: apps/v1
kind: Deployment
metadata: {{name: {0}, namespace: default}}
spec:
  replicas: 0
  selector: {{matchLabels: {{app: {0}}}}}
  template:
    metadata: {{labels: {{app: {0}}}}}
    spec:
      {1}
      containers:
      - name: main
        image: pause
        resources: {{requests: {{cpu: {2}m, memory: {3}Mi}}}}
)",
                     manner.name, manner.pod, millicores, mib);
}

constexpr const char* kGuard = R"(
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: guarded, namespace: default}
spec:
  maxUnavailable: 1
  selector: {matchLabels: {app: guarded}}
)";

}  // namespace

void Workload::set_up() {
  create_object(api_, kNodeClasses, "", testing::kDemoNodeClass);
  create_object(api_, kPools, "", node_pool("general", "on-demand", 10, "", kCpuBounds));
  create_object(api_, kPools, "", node_pool("patient", "spot", 1, "terminationGracePeriod: 10m", kOtherBounds));
  if (both_generations_) {
    create_object(api_, kNodeTemplates, "", kEarlierClass);
    create_object(api_, kProvisioners, "", kEarlierPool);
  }
  create_object(api_, kDaemonSets, "default", kAgent);
  for (const Manner& manner : kManners) {
    create_object(api_, kDeployments, "default",
                  deployment(manner, 100 * prng_.between(2, 16), 128 * prng_.between(2, 24)));
    deployments_.emplace_back(manner.name);
  }
  create_object(api_, kDeployments, "default", deployment(kZonal, kZonalMillicores, kZonalMib));
  patch_object(api_, kDeployments, "default", kZonal.name,
               fmt::format(R"({{"spec":{{"replicas":{}}}}})", kZonalReplicas));
  create_object(api_, kBudgets, "default", kGuard);
  create_foreign_objects(api_);
  for (size_t i = 0; i < deployments_.size(); ++i) scale();
}

void Workload::scale() {
  const std::string& name = deployments_[prng_.below(deployments_.size())];
  patch_object(api_, kDeployments, "default", name,
               fmt::format(R"({{"spec":{{"replicas":{}}}}})", prng_.between(0, kMostReplicas)));
}

void Workload::edit_provisioner() {
  static const std::vector<std::string> kEdits{
      R"({"spec":{"consolidation":{"enabled":false}}})",
      R"({"spec":{"consolidation":null,"ttlSecondsAfterEmpty":30}})",
      R"({"spec":{"consolidation":{"enabled":true},"ttlSecondsAfterEmpty":null}})",
      R"({"spec":{"limits":{"resources":{"cpu":"8"}}}})",
      R"({"spec":{"limits":{"resources":{"cpu":"24"}}}})",
      R"({"spec":{"ttlSecondsUntilExpired":900}})",
      R"({"spec":{"ttlSecondsUntilExpired":null}})",
      R"({"spec":{"weight":5}})"};
  patch_object(api_, kProvisioners, "", "general", kEdits[prng_.below(kEdits.size())]);
}

void Workload::edit_pool() {
  if (both_generations_ && prng_.chance(1, 2)) return edit_provisioner();
  const std::string pool = prng_.chance(1, 2) ? "general" : "patient";
  static const std::vector<std::string> kEdits{
      R"({"spec":{"disruption":{"budgets":[{"nodes":"10%"}]}}})",
      R"({"spec":{"disruption":{"budgets":[{"nodes":"50%"}]}}})",
      R"({"spec":{"disruption":{"budgets":[{"nodes":"1"}]}}})",
      R"({"spec":{"disruption":{"budgets":[{"nodes":"100%"}]}}})",
      R"({"spec":{"disruption":{"budgets":[{"nodes":"0"}]}}})",
      R"({"spec":{"disruption":{"consolidateAfter":"0s"}}})",
      R"({"spec":{"disruption":{"consolidateAfter":"2m"}}})",
      R"({"spec":{"disruption":{"consolidationPolicy":"WhenEmpty"}}})",
      R"({"spec":{"disruption":{"consolidationPolicy":"WhenEmptyOrUnderutilized"}}})",
      R"({"spec":{"limits":{"cpu":"16"}}})",
      R"({"spec":{"limits":{"cpu":"64"}}})"};
  patch_object(api_, kPools, "", pool, kEdits[prng_.below(kEdits.size())]);
}

void Workload::annotate_a_pod() {
  const auto pods = api_.list({"", "pods"}, "default");
  if (!pods || pods->items.empty()) return;
  const auto& pod = *pods->items[prng_.below(pods->items.size())];
  if (name_of(pod).starts_with(kForeign)) return;
  const std::string value = refuses_disruption(pod) ? "null" : "\"true\"";
  patch_object(api_, {"", "pods"}, "default", name_of(pod),
               R"({"metadata":{"annotations":{"karpenter.sh/do-not-disrupt":)" + value + "}}}");
}

void Workload::edit() {
  const uint64_t draw = prng_.below(20);
  if (draw < 11) {
    scale();
  } else if (draw < 14) {
    edit_pool();
  } else if (draw < 17) {
    annotate_a_pod();
  } else if (draw == 17) {
    patch_object(api_, kBudgets, "default", "guarded",
                 fmt::format(R"({{"spec":{{"maxUnavailable":{}}}}})", prng_.between(0, 2)));
  } else if (draw == 18) {  // NodePoolDrifted
    patch_object(
        api_, kPools, "", "general",
        fmt::format(R"({{"spec":{{"template":{{"metadata":{{"labels":{{"team":"t{}"}}}}}}}}}})", prng_.below(100)));
  } else {  // NodeClassDrift
    patch_object(api_, kNodeClasses, "", "default",
                 fmt::format(R"({{"spec":{{"tags":{{"round":"r{}"}}}}}})", prng_.below(100)));
  }
}

void Workload::relax() {
  static const std::string kNoLimits = R"({"spec":{"limits":null,"ttlSecondsUntilExpired":null}})";
  for (const char* pool : {"general", "patient"}) {
    patch_object(api_, kPools, "", pool, R"({"spec":{"limits":null,"disruption":{"budgets":[{"nodes":"100%"}]}}})");
  }
  if (both_generations_) patch_object(api_, kProvisioners, "", "general", kNoLimits);
  patch_object(api_, kBudgets, "default", "guarded", R"({"spec":{"maxUnavailable":2}})");
  for (const std::string& name : deployments_) {
    patch_object(api_, kDeployments, "default", name,
                 fmt::format(R"({{"spec":{{"replicas":{}}}}})", prng_.between(1, 6)));
  }
  const auto pods = api_.list({"", "pods"}, "default");
  for (const auto& pod : pods->items) {
    if (!refuses_disruption(*pod)) continue;
    patch_object(api_, {"", "pods"}, "default", name_of(*pod),
                 R"({"metadata":{"annotations":{"karpenter.sh/do-not-disrupt":null}}})");
  }
}

}  // namespace tenon::storm
