// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/json.h"
#include "json/yaml.h"
#include "kube/codec/codec.h"

namespace tenon::kube::codec {
namespace {

using testing::HasSubstr;

json::value yaml(std::string_view text) {
  auto documents = json::parse_yaml(text);
  EXPECT_TRUE(documents) << documents.error().message << "\n" << text;
  return documents ? documents->at(0) : json::value();
}

model::Pod pod(std::string_view spec_and_status) {
  auto decoded = decode_pod(yaml("metadata: {name: p, namespace: default}\n" + std::string(spec_and_status)));
  EXPECT_TRUE(decoded) << decoded.error().message;
  return decoded ? *decoded : model::Pod{};
}

struct Amounts {
  std::string what, text;
  int64_t cpu_milli, memory;
};

constexpr int64_t kMi = 1 << 20;

TEST(PodCodec, RequestsAsTheSchedulerCountsThem) {
  const std::vector<Amounts> table = {
      {"nothing", "spec: {containers: [{name: a}]}", 0, 0},
      {"sum of containers",
       "spec: {containers: [{name: a, resources: {requests: {cpu: 100m, memory: 1Mi}}},"
       " {name: b, resources: {requests: {cpu: 1, memory: 2Mi}}}]}",
       1100, 3 * kMi},
      {"limits fill requests",
       "spec: {containers: [{name: a, resources: {limits: {cpu: 2, memory: 4Mi}, requests: {cpu: 1}}}]}", 1000,
       4 * kMi},
      {"an init container that is larger",
       "spec: {containers: [{name: a, resources: {requests: {cpu: 1, memory: 8Mi}}}],"
       " initContainers: [{name: i, resources: {requests: {cpu: 3, memory: 1Mi}}}]}",
       3000, 8 * kMi},
      {"a sidecar adds to containers and to the init containers after it",
       "spec: {containers: [{name: a, resources: {requests: {cpu: 1}}}], initContainers: ["
       "{name: i1, resources: {requests: {cpu: 4}}},"
       "{name: s, restartPolicy: Always, resources: {requests: {cpu: 500m}}},"
       "{name: i2, resources: {requests: {cpu: 3800m}}}]}",
       4300, 0},
      {"overhead",
       "spec: {overhead: {cpu: 250m, memory: 1Mi}, containers: [{name: a, resources: {requests: {cpu: 1}}}]}", 1250,
       kMi},
      {"the pod's own requests replace the sum",
       "spec: {resources: {requests: {cpu: 2}}, containers: [{name: a, resources: {requests: {cpu: 5, memory: 1Mi}}}]}",
       2000, kMi},
      {"the pod's own limits are requests where nobody asks",
       "spec: {resources: {limits: {cpu: 2, memory: 3Mi}}, containers: [{name: a, resources: {requests: {cpu: 1}}}]}",
       1000, 3 * kMi},
      {"a resize that is under way counts the larger",
       "spec: {containers: [{name: a, resources: {requests: {cpu: 1}}}]}\n"
       "status: {containerStatuses: [{name: a, allocatedResources: {cpu: 3}}]}",
       3000, 0},
      {"a resize that cannot be granted keeps what is there",
       "spec: {containers: [{name: a, resources: {requests: {cpu: 9}}}]}\n"
       "status: {conditions: [{type: PodResizePending, status: 'True', reason: Infeasible}],"
       " containerStatuses: [{name: a, allocatedResources: {cpu: 3}}]}",
       3000, 0},
      {"amounts round up", "spec: {containers: [{name: a, resources: {requests: {cpu: 100.1m, memory: 1500m}}}]}", 101,
       2},
      {"numbers are quantities", "spec: {containers: [{name: a, resources: {requests: {cpu: 2, memory: 1e3}}}]}", 2000,
       1000},
  };
  for (const Amounts& row : table) {
    const model::Pod p = pod(row.text);
    EXPECT_EQ(p.spec->requests.get(model::kCpu), row.cpu_milli) << row.what;
    EXPECT_EQ(p.spec->requests.get(model::kMemory), row.memory) << row.what;
    EXPECT_EQ(p.spec->requests.get(model::kPods), 1) << row.what;
    EXPECT_EQ(p.spec->problem, "") << row.what;
  }
}

TEST(PodCodec, ANegativeAmountIsAProblemOfThePodNotOfTheDocument) {
  const model::Pod p = pod("spec: {containers: [{name: a, resources: {requests: {cpu: -1}}}]}");
  EXPECT_EQ(p.spec->problem, "spec.containers[0].resources.requests.cpu: -1 is negative");
}

TEST(PodCodec, ReadsWhatSchedulingLooksAt) {
  const auto decoded = decode_pod(yaml(R"(
metadata:
  name: p
  namespace: default
  labels: {app: web}
  deletionGracePeriodSeconds: 5
  ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: rs, uid: u1, controller: true}]
spec:
  priority: 7
  preemptionPolicy: Never
  terminationGracePeriodSeconds: 30
  nodeSelector: {disk: ssd}
  hostNetwork: true
  schedulingGates: [{name: g}]
  tolerations: [{key: k, operator: Exists, effect: NoSchedule}, {operator: Exists, tolerationSeconds: 10}]
  containers:
  - {name: a, ports: [{containerPort: 80}, {containerPort: 53, hostPort: 5353, hostIP: 10.0.0.1, protocol: UDP}]}
  initContainers: [{name: i, ports: [{containerPort: 1, hostPort: 1}]}]
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms:
        - matchExpressions: [{key: size, operator: Gt, values: ["3"]}]
          matchFields: [{key: metadata.name, operator: In, values: [n1]}]
      preferredDuringSchedulingIgnoredDuringExecution:
      - {weight: 9, preference: {matchExpressions: [{key: z, operator: NotIn, values: [a, b]}]}}
    podAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - {topologyKey: zone, labelSelector: {matchLabels: {app: db}}, namespaces: [x], namespaceSelector: {}}
    podAntiAffinity:
      preferredDuringSchedulingIgnoredDuringExecution:
      - {weight: 3, podAffinityTerm: {topologyKey: host, matchLabelKeys: [pod-template-hash]}}
  topologySpreadConstraints:
  - {maxSkew: 2, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway, minDomains: 3, nodeAffinityPolicy: Ignore,
     nodeTaintsPolicy: Honor, labelSelector: {matchExpressions: [{key: app, operator: Exists}]}, matchLabelKeys: [v]}
  volumes:
  - {name: d, persistentVolumeClaim: {claimName: data}}
  - {name: e, ephemeral: {volumeClaimTemplate: {spec: {storageClassName: gp3}}}}
  - {name: f, emptyDir: {}}
status:
  nominatedNodeName: n9
  conditions: [{type: PodScheduled, status: "False", reason: Unschedulable, lastTransitionTime: "2026-09-01T12:00:00Z"}]
)"));
  ASSERT_TRUE(decoded) << decoded.error().message;
  const model::Pod& p = *decoded;
  EXPECT_EQ(p.key(), "default/p");
  EXPECT_EQ(p.meta.owners.at(0).kind, "ReplicaSet");
  EXPECT_EQ(p.deletion_grace_seconds, 5);
  EXPECT_EQ(p.spec->priority, 7);
  EXPECT_TRUE(p.spec->preemption_never && p.spec->gated);
  EXPECT_EQ(p.spec->termination_grace_seconds, 30);
  EXPECT_EQ(p.spec->tolerations.at(1).toleration_seconds, 10);
  EXPECT_EQ(p.spec->host_ports, (std::vector<model::HostPort>{{"", "TCP", 80}, {"10.0.0.1", "UDP", 5353}}));
  EXPECT_EQ(p.spec->affinity.required_node_terms.at(0).match_expressions.at(0).op, model::Operator::kGt);
  EXPECT_EQ(p.spec->affinity.required_node_terms.at(0).match_fields.at(0).key, "metadata.name");
  EXPECT_EQ(p.spec->affinity.preferred_node_terms.at(0).weight, 9);
  const model::PodAffinityTerm& term = p.spec->affinity.required_pods.at(0);
  EXPECT_EQ(term.selector->match_labels.at("app"), "db");
  EXPECT_TRUE(term.namespace_selector && term.namespace_selector->empty());
  EXPECT_FALSE(p.spec->affinity.preferred_anti_pods.at(0).term.selector);
  EXPECT_EQ(p.spec->affinity.preferred_anti_pods.at(0).term.match_label_keys,
            std::vector<std::string>{"pod-template-hash"});
  const model::SpreadConstraint& spread = p.spec->spread.at(0);
  EXPECT_TRUE(spread.schedule_anyway && !spread.honor_node_affinity && spread.honor_node_taints);
  EXPECT_EQ(spread.max_skew, 2);
  EXPECT_EQ(spread.min_domains, 3);
  ASSERT_EQ(p.spec->volumes.size(), 2u);
  EXPECT_EQ(p.spec->volumes[0].claim_name, "data");
  EXPECT_TRUE(p.spec->volumes[1].ephemeral);
  EXPECT_EQ(p.spec->volumes[1].storage_class, "gp3");
  EXPECT_EQ(p.nominated_node_name, "n9");
  EXPECT_EQ(p.conditions.at(0).reason, "Unschedulable");
}

TEST(PodCodec, WrongTypesAreRefusedWithTheirPath) {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"spec: {containers: [{name: a, resources: {requests: {cpu: x}}}]}",
       "spec.containers[0].resources.requests.cpu: \"x\" is not a quantity"},
      {"spec: {containers: {}}", "spec.containers: must be a list, not an object"},
      {"spec: []", "spec: must be an object, not a list"},
      {"spec: {nodeSelector: {a: 1}}", "spec.nodeSelector.a: must be a string, not 1"},
      {"spec: {nodeSelector: {a.b/c: true}}", "spec.nodeSelector[a.b/c]: must be a string, not true"},
      {"spec: {priority: high}", "spec.priority: must be an integer, not \"high\""},
      {"spec: {priority: 3000000000}", "spec.priority: must be a 32-bit integer"},
      {"spec: {priority: 1.5}", "spec.priority: must be an integer, not 1.5"},
      {"spec: {hostNetwork: 1}", "spec.hostNetwork: must be true or false, not 1"},
      {"spec: {tolerations: [{operator: Is}]}", "spec.tolerations[0].operator: must be one of Equal, Exists, Lt, Gt"},
      {"spec: {affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
       "[{matchExpressions: [{key: a, operator: Gte, values: ['1']}]}]}}}}",
       "nodeSelectorTerms[0].matchExpressions[0].operator: must be one of In, NotIn, Exists, DoesNotExist, Gt, Lt, "
       "not"},
      {"spec: {affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
       "[{matchExpressions: [{key: a}]}]}}}}",
       "matchExpressions[0]: operator: missing"},
      {"status: {conditions: [{lastTransitionTime: yesterday}]}",
       "status.conditions[0].lastTransitionTime: must be a time such as"},
  };
  for (const auto& [text, message] : table) {
    const auto decoded = decode_pod(yaml("metadata: {name: p}\n" + text));
    ASSERT_FALSE(decoded) << text;
    EXPECT_EQ(decoded.error().code, Code::kInvalid);
    EXPECT_THAT(decoded.error().message, HasSubstr(message)) << text;
  }
}

TEST(PodCodec, NullAndUnknownFieldsAreFine) {
  const model::Pod p = pod("spec: {containers: null, nodeSelector: null, somethingNew: [1, {a: b}], priority: ~}");
  EXPECT_EQ(p.spec->priority, 0);
  EXPECT_EQ(p.phase, "Pending");
  EXPECT_EQ(p.spec->scheduler_name, "default-scheduler");
}

TEST(PodCodec, DaemonSetsAreOnePodOfTheirTemplate) {
  const auto set =
      decode_daemon_set(yaml("metadata: {name: agent, namespace: kube-system, uid: d1}\n"
                             "spec: {template: {metadata: {labels: {app: agent}}, spec: {containers: [{name: a, "
                             "resources: {limits: {cpu: 1}}}]}}}"));
  ASSERT_TRUE(set);
  EXPECT_EQ(set->meta.name, "agent");
  EXPECT_EQ(set->pod_template.meta.ns, "kube-system");
  EXPECT_EQ(set->pod_template.meta.labels.at("app"), "agent");
  EXPECT_EQ(set->pod_template.spec->requests.get(model::kCpu), 1000);
  EXPECT_TRUE(set->pod_template.owned_by_daemon_set());
}

TEST(PodCodec, DisruptionBudgets) {
  const auto budget = decode_disruption_budget(
      yaml("metadata: {name: b}\nspec: {selector: {matchLabels: {app: web}}, unhealthyPodEvictionPolicy: AlwaysAllow}\n"
           "status: {disruptionsAllowed: 2}"));
  ASSERT_TRUE(budget);
  EXPECT_EQ(budget->disruptions_allowed, 2);
  EXPECT_TRUE(budget->always_allow_unhealthy);
  EXPECT_EQ(budget->selector->match_labels.at("app"), "web");
}

}  // namespace
}  // namespace tenon::kube::codec
