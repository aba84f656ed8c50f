// SPDX-License-Identifier: Apache-2.0
#include "cli/plan/plan_input.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <fstream>
#include <sstream>

#include "base/testing/temp_folder.h"
#include "cli/plan/plan_edit.h"
#include "kube/codec/default_spread.h"

namespace tenon::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const Instant kNow = *parse_rfc3339("2026-09-01T12:00:00Z");

Result<PlanInput> read(const std::string& text) {
  const auto documents = split_documents("in.yaml", text);
  if (!documents) return fail(documents.error());
  return make_plan_input(*documents, {std::make_shared<const std::vector<model::InstanceType>>(), kNow});
}
PlanInput must_read(const std::string& text) {
  Result<PlanInput> input = read(text);
  EXPECT_TRUE(input) << input.error().message;
  return input ? *std::move(input) : PlanInput{};
}
std::string pod(const std::string& name, const std::string& rest) {
  return "---\napiVersion: v1\nkind: Pod\nmetadata: {name: " + name + "}\n" + rest + "\n";
}
std::vector<std::string> pending(const PlanInput& input) {
  std::vector<std::string> keys;
  for (const auto& p : input.snapshot.pending) keys.push_back(p->key());
  return keys;
}

TEST(PlanDocuments, ListsAreTakenApart) {
  const auto documents = split_documents("a.yaml", R"(
kind: Pod
apiVersion: v1
---
apiVersion: v1
kind: List
items:
- {apiVersion: apps/v1, kind: DaemonSet}
- {apiVersion: v1, kind: PodList, items: [{metadata: {name: x}}]}
)");
  ASSERT_TRUE(documents) << documents.error().message;
  ASSERT_EQ(documents->size(), 3u);
  EXPECT_EQ((*documents)[1].group, "apps");
  EXPECT_EQ((*documents)[2].kind, "Pod");
  EXPECT_EQ((*documents)[2].place("spec.x: wrong"), "a.yaml: document 2: items[1].items[0].spec.x: wrong");
  EXPECT_EQ((*documents)[0].place("spec.x: wrong"), "a.yaml: document 1: spec.x: wrong");
}

TEST(PlanDocuments, AFolderStandsForItsManifests) {
  const TempFolder folder;
  std::istringstream none;
  EXPECT_THAT(read_documents({folder.file("")}, none).error().message, HasSubstr("no .yaml, .yml or .json file"));
  folder.write("b.yml", "kind: Node");
  folder.write("a.yaml", "kind: Pod");
  folder.write("notes.txt", "kind: [");
  const auto documents = read_documents({folder.file("")}, none);
  ASSERT_TRUE(documents) << documents.error().message;
  ASSERT_EQ(documents->size(), 2u);
  EXPECT_EQ((*documents)[0].kind, "Pod");
  EXPECT_EQ((*documents)[1].file, folder.file("b.yml"));
}

TEST(PlanDocuments, JsonAndGzipAreRead) {
  const TempFolder folder;
  const std::string path = folder.file("documents.json.gz");
  gzFile file = gzopen(path.c_str(), "wb");
  const std::string text = R"({"apiVersion":"v1","kind":"List","items":[{"kind":"Pod","apiVersion":"v1"}]})";
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  std::istringstream none("kind: Pod");
  const auto documents = read_documents({path, "-"}, none);
  ASSERT_TRUE(documents) << documents.error().message;
  ASSERT_EQ(documents->size(), 2u);
  EXPECT_EQ((*documents)[1].file, "-");
  std::ofstream(path, std::ios::binary) << "\x1f\x8b\x08 damaged";
  EXPECT_THAT(read_documents({path}, none).error().message, HasSubstr("gzip"));
  EXPECT_EQ(read_documents({path + ".nowhere"}, none).error().code, Code::kNotFound);
}

TEST(PlanInput, WhatCannotBeReadIsNamed) {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"a: b: c", "in.yaml: line 1, column 5: "},
      {"- a", "in.yaml: document 1: must be a Kubernetes object"},
      {"{}\n---\napiVersion: v1", "in.yaml: document 1: kind: missing"},
      {"kind: 7", "in.yaml: document 1: kind: must be a string"},
      {"kind: List\napiVersion: v1\nitems: {}", "items: must be a list"},
      {"kind: Pod\napiVersion: v1", "in.yaml: document 1: metadata.name: missing"},
      {"kind: List\napiVersion: v1\nitems: [{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: "
       "[{resources: {requests: {cpu: x}}}]}}]",
       "in.yaml: document 1: items[0].spec.containers[0].resources.requests.cpu: \"x\" is not a quantity"},
      {"kind: NodePool\napiVersion: karpenter.sh/v1\nmetadata: {name: a}\nspec: {template: {spec: {requirements: "
       "[{key: a, operator: Like}]}}}",
       "document 1: spec.template.spec.requirements[0].operator: must be one of In"},
      {"kind: NodePool\napiVersion: karpenter.sh/v1beta1\nmetadata: {name: a}",
       "apiVersion: karpenter.sh/v1beta1 NodePool"},
      {"kind: PriorityClass\napiVersion: scheduling.k8s.io/v1\nmetadata: {name: a}", "value: must be an integer"},
  };
  for (const auto& [text, message] : table) {
    const auto input = read(text);
    ASSERT_FALSE(input) << text;
    EXPECT_EQ(input.error().code, Code::kInvalid);
    EXPECT_THAT(input.error().message, HasSubstr(message)) << text;
  }
}

TEST(PlanInput, OtherKindsAreIgnored) {
  const PlanInput input =
      must_read("kind: Deployment\napiVersion: apps/v1\n---\nkind: NodePool\napiVersion: example.com/v1\n");
  EXPECT_THAT(input.snapshot.pools, IsEmpty());
}

TEST(PlanInput, FieldsThatNobodyKnowsAreToldOnceAKind) {
  const std::string typo = "spec: {nodeSelecter: {a: b}, containers: [{resources: {requests: {cpu: 1}}}]}";
  const std::string nested = "spec: {containers: [{}, {resources: {request: {cpu: 1}}}]}";
  const PlanInput input = must_read(
      pod("a", typo) + "---\n" + pod("b", typo) + "---\n" + pod("c", nested) +
      "---\napiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: p, lables: {}}\nspec: {wieght: 3, template: "
      "{spec: {nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: d}, requirements: []}}}\n");
  ASSERT_EQ(input.warnings.size(), 4u);
  EXPECT_THAT(input.warnings[0],
              HasSubstr("spec.nodeSelecter: Pod a has no such field; it is ignored (and in 1 more)"));
  EXPECT_THAT(input.warnings[1],
              HasSubstr("spec.containers[1].resources.request: Pod c has no such field; it is ignored"));
  EXPECT_THAT(input.warnings[2], HasSubstr("spec.wieght: NodePool p has no such field"));
  EXPECT_THAT(input.warnings[3], HasSubstr("metadata.lables: NodePool p has no such field"));
}

TEST(PlanInput, WhatAnApiServerHasStoredIsNotLookedAtForThem) {
  const PlanInput input = must_read(
      "apiVersion: v1\nkind: Pod\nmetadata: {name: a, uid: u}\nspec: {ofALaterVersion: 1, containers: [{}]}\n");
  EXPECT_THAT(input.warnings, IsEmpty());
}

TEST(PlanInput, DefaultsAreFilledIn) {
  const PlanInput input = must_read(pod("a", "spec: {containers: [{resources: {limits: {cpu: 1}}}]}"));
  ASSERT_THAT(pending(input), ElementsAre("default/a"));
  const model::Pod& a = *input.snapshot.pending[0];
  EXPECT_EQ(a.spec->requests.get(model::kCpu), 1000);
  EXPECT_EQ(a.meta.uid, "Pod/default/a");
  EXPECT_EQ(a.meta.created_at, kNow - 1h);
  EXPECT_TRUE(a.provisionable());
  EXPECT_EQ(input.snapshot.namespace_labels.at("default").at("kubernetes.io/metadata.name"), "default");
}

TEST(PlanInput, PodsAreSortedIntoOursTheirsAndWrong) {
  const PlanInput input = must_read(
      pod("ours", "") + pod("gated", "spec: {schedulingGates: [{name: g}]}") + "---\napiVersion: v1\nkind: Pod\n" +
      std::string("metadata: {name: owned, ownerReferences: [{apiVersion: apps/v1, kind: "
                  "DaemonSet, name: d, controller: true}]}\n") +
      pod("seen", "status: {conditions: [{type: PodScheduled, status: 'False', reason: SchedulerError}]}") +
      pod("nominated", "status: {nominatedNodeName: n1}") +
      pod("elsewhere",
          "spec: {affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
          "[{matchExpressions: [{key: karpenter.sh/nodepool, operator: DoesNotExist}]}]}}}}") +
      pod("negative", "spec: {containers: [{resources: {requests: {cpu: -1}}}]}") +
      pod("done", "status: {phase: Succeeded}"));
  EXPECT_THAT(pending(input), ElementsAre("default/ours"));
  EXPECT_EQ(input.ignored.at("default/gated"), "has scheduling gates");
  EXPECT_EQ(input.ignored.at("default/owned"), "its DaemonSet places it");
  EXPECT_EQ(input.ignored.at("default/seen"), "the scheduler has not marked it Unschedulable");
  EXPECT_EQ(input.ignored.at("default/nominated"), "preemption makes room for it on node n1");
  EXPECT_THAT(input.ignored.at("default/elsewhere"), HasSubstr("not run on a Karpenter provisioned node"));
  EXPECT_EQ(input.ignored.size(), 5u);
  EXPECT_EQ(input.unplannable.at("default/negative"), "spec.containers[0].resources.requests.cpu: -1 is negative");
}

TEST(PlanInput, PrioritiesComeFromTheirClass) {
  const PlanInput input = must_read(
      "kind: PriorityClass\napiVersion: scheduling.k8s.io/v1\nmetadata: {name: high}\nvalue: 100\npreemptionPolicy: "
      "Never\n"
      "---\nkind: PriorityClass\napiVersion: scheduling.k8s.io/v1\nmetadata: {name: std}\nvalue: 5\nglobalDefault: "
      "true\n" +
      pod("a", "spec: {priorityClassName: high}") + pod("b", "") +
      pod("c", "spec: {priorityClassName: high, priority: 7}"));
  ASSERT_EQ(input.snapshot.pending.size(), 3u);
  EXPECT_EQ(input.snapshot.pending[0]->spec->priority, 100);
  EXPECT_TRUE(input.snapshot.pending[0]->spec->preemption_never);
  EXPECT_EQ(input.snapshot.pending[1]->spec->priority, 5);
  EXPECT_EQ(input.snapshot.pending[2]->spec->priority, 7);
}

TEST(PlanInput, PoolsAreReadyUnlessSomethingSaysOtherwise) {
  const auto pool = [](const std::string& name, const std::string& more) {
    return "---\nkind: NodePool\napiVersion: karpenter.sh/v1\nmetadata: {name: " + name + "}\n" + more + "\n";
  };
  const std::string spec =
      "spec: {template: {spec: {nodeClassRef: {group: g, kind: k, name: n1}, requirements: []}}}\n";
  const PlanInput input = must_read(
      pool("good", spec) +
      pool("said", spec + "status: {conditions: [{type: Ready, status: 'False', message: no class}]}") +
      pool("wrong", "spec: {template: {metadata: {labels: {kubernetes.io/hostname: a}}, spec: {requirements: []}}}") +
      pool("fixed", "spec: {replicas: 2, template: {spec: {requirements: []}}}"));
  EXPECT_EQ(input.pools_not_ready.size(), 2u);
  EXPECT_EQ(input.pools_not_ready.at("said"), "no class");
  EXPECT_THAT(input.pools_not_ready.at("wrong"), HasSubstr("kubernetes.io/hostname"));
  ASSERT_EQ(input.snapshot.pools.size(), 4u);  // by name: fixed, good, said, wrong
  EXPECT_NE(input.snapshot.pools[0].not_ready, "");
  EXPECT_EQ(input.snapshot.pools[1].not_ready, "");
}

TEST(PlanInput, NodesClaimsAndTheirPods) {
  const PlanInput input =
      must_read(R"(
kind: Node
apiVersion: v1
metadata: {name: n1}
spec: {providerID: p1}
status: {capacity: {cpu: 2}}
---
kind: NodeClaim
apiVersion: karpenter.sh/v1
metadata: {name: c1, labels: {karpenter.sh/nodepool: a}}
status: {providerID: p1}
---
kind: NodeClaim
apiVersion: karpenter.sh/v1
metadata: {name: c2}
)" + pod("b", "spec: {nodeName: n1}") +
                pod("a", "spec: {nodeName: n1}") + pod("c", "spec: {nodeName: n1}\nstatus: {phase: Failed}") +
                pod("lost", "spec: {nodeName: n7}"));
  ASSERT_EQ(input.snapshot.nodes.size(), 2u);
  EXPECT_EQ(input.snapshot.nodes[0].name(), "c2");
  EXPECT_EQ(input.snapshot.nodes[1].claim->meta.name, "c1");
  EXPECT_EQ(input.snapshot.nodes[1].node->allocatable.get(model::kCpu), 2000);
  ASSERT_EQ(input.snapshot.nodes[1].pods.size(), 2u);
  EXPECT_EQ(input.snapshot.nodes[1].pods[0]->key(), "default/a");
  EXPECT_THAT(input.warnings, ElementsAre("pod default/lost runs on node n7, which is not in the input"));
}

TEST(PlanInput, ABudgetOfNoNumberIsRefused) {
  const auto problem = [](const std::string& spec) {
    const auto input =
        read("kind: PodDisruptionBudget\napiVersion: policy/v1\nmetadata: {name: b}\nspec: {" + spec + "}\n");
    return input ? "" : input.error().message;
  };
  const std::string most =
      "in.yaml: document 1: PodDisruptionBudget default/b: spec.maxUnavailable: must be a number of ";
  for (const char* amount :
       {"none", "'1'", "'5 %'", "'%'", "'-5%'", "101%", "1.5%", "-1", "1.5", "true", "[1]", "9876543210"}) {
    EXPECT_THAT(problem(std::string("maxUnavailable: ") + amount), testing::StartsWith(most)) << amount;
  }
  EXPECT_THAT(problem("minAvailable: half"), HasSubstr("spec.minAvailable: must be a number of pods or a percentage "
                                                       "such as 50%, not \"half\""));
  EXPECT_THAT(problem("minAvailable: 1, maxUnavailable: 1"), HasSubstr("default/b: spec: minAvailable and maxUnav"));
  for (const char* fine : {"minAvailable: 0", "maxUnavailable: 100%", "minAvailable: 1, maxUnavailable: null"}) {
    EXPECT_EQ(problem(fine), "") << fine;
  }
}

TEST(PlanInput, BudgetsWithoutAStatusAreCountedOut) {
  const auto budget = [](const std::string& spec) {
    std::string text =
        "kind: PodDisruptionBudget\napiVersion: policy/v1\nmetadata: {name: b}\nspec: {selector: {matchLabels: {app: "
        "w}}, " +
        spec + "}\n";
    for (int i = 0; i < 4; ++i) {
      text +=
          "---\nkind: Pod\napiVersion: v1\nmetadata: {name: p" + std::to_string(i) +
          ", labels: {app: w}}\nspec: {nodeName: n1}\nstatus: {phase: Running, conditions: [{type: Ready, status: '" +
          (i == 3 ? "False" : "True") + "'}]}\n";
    }
    return must_read(text).snapshot.disruption_budgets.at(0)->disruptions_allowed;
  };
  EXPECT_EQ(budget("minAvailable: 1"), 2);
  EXPECT_EQ(budget("minAvailable: 50%"), 1);
  EXPECT_EQ(budget("maxUnavailable: 1"), 0);
  EXPECT_EQ(budget("maxUnavailable: 100%"), 3);
  EXPECT_EQ(budget("minAvailable: 4"), 0);
}

Result<std::optional<Instant>> scenario_time_of(const std::vector<Document>& documents) {
  const InputOptions options;
  PlanInputReader reader(options);
  for (const Document& document : documents) reader.document(document);
  return reader.scenario_time();
}

TEST(PlanInput, TheScenariosTime) {
  const auto time = [](const std::string& data) {
    return scenario_time_of(*split_documents(
        "f", "kind: ConfigMap\napiVersion: v1\nmetadata: {name: karpenter-oracle-scenario}\ndata: " + data));
  };
  EXPECT_EQ(*time("{now: '2026-09-01T12:00:00Z'}"), kNow);
  EXPECT_EQ(*time("{}"), std::nullopt);
  EXPECT_THAT(time("{now: soon}").error().message, HasSubstr("data.now: must be a time"));
}

TEST(PlanEdit, NodesThatNoLongerMatchDrift) {
  const auto text = [](const std::string& labels, const std::string& zones, const std::string& role) {
    return "kind: NodePool\napiVersion: karpenter.sh/v1\nmetadata: {name: a}\nspec: {template: {metadata: {labels: {" +
           labels +
           "}}, spec: {nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: x}, requirements: "
           "[{key: topology.kubernetes.io/zone, operator: In, values: [" +
           zones +
           "]}]}}}\n---\n"
           "kind: EC2NodeClass\napiVersion: karpenter.k8s.aws/v1\nmetadata: {name: x}\nspec: {role: " +
           role +
           "}\n---\n"
           "kind: NodeClaim\napiVersion: karpenter.sh/v1\nmetadata: {name: c, labels: {karpenter.sh/nodepool: a, "
           "topology.kubernetes.io/zone: z1}}\nspec: {nodeClassRef: {name: x}}\n"
           "status: {providerID: p, conditions: [{type: Launched, status: 'True'}]}\n";
  };
  const PlanInput before = must_read(text("team: a", "z1, z2", "r1"));
  const std::vector<std::pair<std::string, std::string>> table = {
      {text("team: a", "z1, z2", "r1"), ""},
      {text("team: b", "z1", "r1"), "NodePoolDrifted"},
      {text("team: a", "z2", "r1"), "RequirementsDrifted"},
      {text("team: a", "z1", "r2"), "NodeClassDrift"},
  };
  for (const auto& [edited, reason] : table) {
    PlanInput after = must_read(edited);
    const auto drifted = mark_drifted(before, after);
    ASSERT_EQ(drifted.size(), reason.empty() ? 0u : 1u) << reason;
    EXPECT_EQ(after.snapshot.nodes.at(0).claim->is(model::kDrifted), !reason.empty());
    if (!drifted.empty()) {
      EXPECT_EQ(drifted[0].reason, reason);
    }
  }
}

TEST(PlanEdit, ADefaultSpreadCountsWhatTheOwnersSelect) {
  const auto constraints = kube::codec::parse_scheduler_config(
      "podTopologySpread: {defaultConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}]}");
  ASSERT_TRUE(constraints) << constraints.error().message;
  const auto documents = split_documents(
      "in",
      "kind: Service\napiVersion: v1\nmetadata: {name: s}\nspec: {selector: {app: web}}\n---\nkind: ReplicaSet\n"
      "apiVersion: apps/v1\nmetadata: {name: r}\nspec: {selector: {matchLabels: {hash: x1}}}\n---\nkind: Pod\n"
      "apiVersion: v1\nmetadata: {name: a, labels: {app: web, hash: x1}, ownerReferences: [{apiVersion: apps/v1, kind: "
      "ReplicaSet, name: r, controller: true}]}\n---\nkind: Pod\napiVersion: v1\nmetadata: {name: b}\n");
  const auto input = make_plan_input(*documents, {nullptr, kNow, *constraints});
  ASSERT_TRUE(input) << input.error().message;
  ASSERT_EQ(input->snapshot.pending.size(), 2u);
  const model::Pod& a = *input->snapshot.pending[0];
  ASSERT_EQ(a.spec->spread.size(), 1u);
  EXPECT_EQ(a.spec->spread[0].selector->match_labels, (model::StringMap{{"app", "web"}, {"hash", "x1"}}));
  EXPECT_THAT(input->snapshot.pending[1]->spec->spread, IsEmpty());
}

TEST(PlanEdit, SchedulerConfigsAreCheckedStrictly) {
  const std::string one = "{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}";
  const std::vector<std::pair<std::string, std::string>> table = {
      {"profiles: []", "unknown field \"profiles\""},
      {"podTopologySpread: {defaultConstraints: [{maxSkew: 1, labelSelector: {}}]}", "unknown field \"labelSelector\""},
      {"podTopologySpread: {defaultConstraints: [{maxSkew: 0, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}]}",
       "maxSkew must be greater than 0"},
      {"podTopologySpread: {defaultConstraints: [{maxSkew: 1, topologyKey: '', whenUnsatisfiable: DoNotSchedule}]}",
       "is not a label key"},
      {"podTopologySpread: {defaultConstraints: [{maxSkew: x, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}]}",
       "maxSkew: must be an integer"},
      {"podTopologySpread: {defaultConstraints: [{maxSkew: 1, topologyKey: zone}]}", "whenUnsatisfiable must be"},
      {"podTopologySpread: {defaultConstraints: {maxSkew: 1}}", "podTopologySpread.defaultConstraints: must be a list"},
      {"podTopologySpread: {defaultConstraints: [" + one + ", " + one + "]}", "two constraints for zone"},
  };
  for (const auto& [text, message] : table) {
    const auto parsed = kube::codec::parse_scheduler_config(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_THAT(parsed.error().message, HasSubstr(message));
  }
}

}  // namespace
}  // namespace tenon::cli
