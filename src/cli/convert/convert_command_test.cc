// SPDX-License-Identifier: Apache-2.0
#include "cli/convert/convert_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "json/json.h"
#include "json/yaml.h"

namespace tenon::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

struct Answer {
  int exit = 0;
  std::string out, err;
};

Answer convert(const std::string& yaml, const std::string& output = "yaml") {
  std::istringstream in(yaml);
  std::ostringstream out, err;
  const int exit = run_convert({.files = {"-"}, .output = output}, in, out, err);
  return {exit, out.str(), err.str()};
}

std::string provisioner(const std::string& spec) {
  return "apiVersion: karpenter.sh/v1alpha5\nkind: Provisioner\nmetadata: {name: default}\nspec: " + spec + "\n";
}
std::string node_template(const std::string& spec) {
  return "apiVersion: karpenter.k8s.aws/v1alpha1\nkind: AWSNodeTemplate\nmetadata: {name: default}\nspec: " + spec +
         "\n";
}
std::string beta_pool(const std::string& spec) {
  return "apiVersion: karpenter.sh/v1beta1\nkind: NodePool\nmetadata: {name: default}\nspec: " + spec + "\n";
}
const std::string kSelectors = "subnetSelector: {a: b}, securityGroupSelector: {a: b}";

// The value at a path of the document with this index of the output, as JSON; "" if there is none.
std::string at(const Answer& answer, size_t index, std::initializer_list<std::string_view> path) {
  const auto documents = json::parse_yaml(answer.out);
  if (!documents || documents->size() <= index) return "no document " + std::to_string(index) + ": " + answer.err;
  const json::value* found = json::find((*documents)[index], path);
  return found == nullptr ? "" : json::to_string(*found);
}

TEST(Convert, ADocumentOfTheTime) {
  const Answer answer = convert(R"(
apiVersion: karpenter.sh/v1alpha5
kind: Provisioner
metadata: {name: default}
spec:
  requirements:
    - {key: karpenter.sh/capacity-type, operator: In, values: [spot]}
  limits: {resources: {cpu: 1000}}
  providerRef: {name: default}
  ttlSecondsAfterEmpty: 30
---
apiVersion: karpenter.k8s.aws/v1alpha1
kind: AWSNodeTemplate
metadata: {name: default}
spec:
  subnetSelector: {karpenter.sh/discovery: demo}
  securityGroupSelector: {karpenter.sh/discovery: demo}
)");
  EXPECT_EQ(answer.exit, 0);
  EXPECT_EQ(answer.out, R"(apiVersion: karpenter.sh/v1
kind: NodePool
metadata:
  name: default
spec:
  template:
    spec:
      nodeClassRef:
        group: karpenter.k8s.aws
        kind: EC2NodeClass
        name: default
      requirements:
      - key: karpenter.sh/capacity-type
        operator: In
        values:
        - spot
      - key: kubernetes.io/os
        operator: In
        values:
        - linux
      - key: kubernetes.io/arch
        operator: In
        values:
        - amd64
      - key: karpenter.k8s.aws/instance-category
        operator: In
        values:
        - c
        - m
        - r
      - key: karpenter.k8s.aws/instance-generation
        operator: Gt
        values:
        - "2"
      expireAfter: Never
  disruption:
    consolidationPolicy: WhenEmpty
    consolidateAfter: 30s
    budgets:
    - nodes: 100%
      reasons:
      - Empty
    - nodes: "0"
      reasons:
      - Drifted
  limits:
    cpu: 1000
---
apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata:
  name: default
spec:
  amiSelectorTerms:
  - alias: al2@latest
  subnetSelectorTerms:
  - tags:
      karpenter.sh/discovery: demo
  securityGroupSelectorTerms:
  - tags:
      karpenter.sh/discovery: demo
  role: $KARPENTER_NODE_ROLE
  metadataOptions:
    httpPutResponseHopLimit: 2
)");
  EXPECT_THAT(answer.err, HasSubstr("AWSNodeTemplate/default: spec.instanceProfile: is not set: put the name of"));
}

// A spec of a Provisioner, and what the NodePool's spec has at a path.
struct Row {
  const char* spec;
  std::vector<std::string_view> path;
  const char* expected;
  const char* note = "";  // part of standard error
};

std::string found_at(const Answer& answer, const std::vector<std::string_view>& path) {
  const auto documents = json::parse_yaml(answer.out);
  if (!documents || documents->empty()) return "nothing: " + answer.err;
  const json::value* at = &documents->front();
  for (const std::string_view key : path) {
    at = at->is_object() ? at->get_object().if_contains(key) : nullptr;
    if (at == nullptr) return "";
  }
  return json::to_string(*at);
}

TEST(Convert, AProvisionerKeepsItsMeaning) {
  const std::vector<Row> rows = {
      {"{}", {"spec", "disruption", "consolidateAfter"}, "\"Never\""},
      {"{}", {"spec", "disruption", "consolidationPolicy"}, "\"WhenEmpty\""},
      {"{}", {"spec", "template", "spec", "expireAfter"}, "\"Never\""},
      {"{consolidation: {enabled: false}}", {"spec", "disruption", "consolidateAfter"}, "\"Never\""},
      {"{consolidation: {enabled: true}}", {"spec", "disruption", "consolidateAfter"}, "\"0s\""},
      {"{consolidation: {enabled: true}}",
       {"spec", "disruption", "consolidationPolicy"},
       "\"WhenEmptyOrUnderutilized\""},
      {"{consolidation: {enabled: true}}",
       {"spec", "disruption", "budgets"},
       R"([{"nodes":"100%","reasons":["Empty"]},{"nodes":"10%","reasons":["Underutilized"]},)"
       R"({"nodes":"0","reasons":["Drifted"]}])",
       "featureGates.driftEnabled"},
      {"{ttlSecondsAfterEmpty: 0}", {"spec", "disruption", "consolidateAfter"}, "\"0s\""},
      {"{ttlSecondsUntilExpired: 2592000}",
       {"spec", "template", "spec", "expireAfter"},
       "\"2592000s\"",
       "regardless of budgets"},
      {"{weight: 7}", {"spec", "weight"}, "7"},
      {"{labels: {a: b}}", {"spec", "template", "metadata", "labels"}, R"({"a":"b"})"},
      {"{annotations: {karpenter.sh/do-not-consolidate: \"true\"}}",
       {"spec", "template", "metadata", "annotations"},
       R"({"karpenter.sh/do-not-disrupt":"true"})",
       "spec.annotations[karpenter.sh/do-not-consolidate]: is karpenter.sh/do-not-disrupt in v1"},
      {"{annotations: {karpenter.sh/do-not-consolidate: \"false\"}}",
       {"spec", "template", "metadata", "annotations"},
       "{}",
       "is dropped"},
  };
  for (const Row& row : rows) {
    std::string spec = row.spec;
    spec.insert(1, std::string("providerRef: {name: default}") + (spec == "{}" ? "" : ", "));
    const Answer answer = convert(provisioner(spec) + "---\n" + node_template("{" + kSelectors + "}"));
    EXPECT_EQ(answer.exit, 0) << row.spec << "\n" << answer.err;
    EXPECT_EQ(found_at(answer, row.path), row.expected) << row.spec;
    EXPECT_THAT(answer.err, HasSubstr(row.note)) << row.spec;
  }
}

TEST(Convert, ATemplateKeepsItsMeaning) {
  const std::vector<Row> rows = {
      {"{}", {"spec", "amiSelectorTerms"}, R"([{"alias":"al2@latest"}])"},
      {"{amiFamily: Bottlerocket}", {"spec", "amiSelectorTerms"}, R"([{"alias":"bottlerocket@latest"}])"},
      {"{amiFamily: Ubuntu}",
       {"spec", "amiSelectorTerms"},
       R"([{"id":"ami-placeholder"}])",
       "v1 has no AMIs of Ubuntu"},
      {"{amiFamily: Ubuntu, amiSelector: {aws-ids: ami-1}}",
       {"spec", "amiFamily"},
       "\"AL2\"",
       "AL2 boots its AMIs alike"},
      {"{amiFamily: Custom, amiSelector: {aws-ids: \"ami-1,ami-2\"}}",
       {"spec", "amiSelectorTerms"},
       R"([{"id":"ami-1"},{"id":"ami-2"}])"},
      {"{amiSelector: {aws-ids: ami-1, team: x}}",
       {"spec", "amiSelectorTerms"},
       R"([{"id":"ami-1"}])",
       "spec.amiSelector[team]: is dropped"},
      {"{amiSelector: {\"aws::name\": \"a,b\", \"aws::owners\": \"self,amazon\", team: \"x,y\"}}",
       {"spec", "amiSelectorTerms"},
       R"([{"name":"a","owner":"self","tags":{"team":"x,y"}},{"name":"a","owner":"amazon","tags":{"team":"x,y"}},)"
       R"({"name":"b","owner":"self","tags":{"team":"x,y"}},{"name":"b","owner":"amazon","tags":{"team":"x,y"}}])"},
      {"{instanceProfile: p}", {"spec", "instanceProfile"}, "\"p\""},
      {"{instanceProfile: p}", {"spec", "role"}, ""},
      {"{metadataOptions: {httpPutResponseHopLimit: 5}}",
       {"spec", "metadataOptions"},
       R"({"httpPutResponseHopLimit":5})"},
      {"{tags: {a: b}}", {"spec", "tags"}, R"({"a":"b"})"},
  };
  for (const Row& row : rows) {
    std::string spec = row.spec;
    spec.insert(1, kSelectors + (spec == "{}" ? "" : ", "));
    const Answer answer = convert(node_template(spec));
    EXPECT_EQ(answer.exit, 0) << row.spec << "\n" << answer.err;
    EXPECT_EQ(found_at(answer, row.path), row.expected) << row.spec;
    EXPECT_THAT(answer.err, HasSubstr(row.note)) << row.spec;
  }
}

TEST(Convert, TheAlternativesOfASelectorAreTerms) {
  const Answer answer = convert(node_template(
      "{subnetSelector: {Name: \"a,b\", team: x, any: \"*\"}, securityGroupSelector: {aws-ids: \"sg-1,sg-2\"}}"));
  EXPECT_EQ(at(answer, 0, {"spec", "subnetSelectorTerms"}),
            R"([{"tags":{"Name":"a","team":"x","any":"*"}},{"tags":{"Name":"b","team":"x","any":"*"}}])");
  EXPECT_EQ(at(answer, 0, {"spec", "securityGroupSelectorTerms"}), R"([{"id":"sg-1"},{"id":"sg-2"}])");
}

TEST(Convert, ProvisionersWithOtherKubeletsGetClassesOfTheirOwn) {
  const auto named = [](const std::string& name, const std::string& more) {
    return "apiVersion: karpenter.sh/v1alpha5\nkind: Provisioner\nmetadata: {name: " + name +
           "}\nspec: {providerRef: {name: default}" + more + "}\n---\n";
  };
  const Answer answer =
      convert(named("a", ", kubeletConfiguration: {maxPods: 20, containerRuntime: dockerd}") + named("b", "") +
              named("c", ", kubeletConfiguration: {maxPods: 20, containerRuntime: dockerd}") +
              node_template("{" + kSelectors + "}"));
  ASSERT_EQ(answer.exit, 0) << answer.err;
  const auto ref = [&](size_t i) { return at(answer, i, {"spec", "template", "spec", "nodeClassRef", "name"}); };
  EXPECT_EQ(ref(0), "\"default-a\"");
  EXPECT_EQ(ref(1), "\"default\"");
  EXPECT_EQ(ref(2), "\"default-a\"");
  EXPECT_EQ(at(answer, 3, {"metadata", "name"}), "\"default\"");
  EXPECT_EQ(at(answer, 3, {"spec", "kubelet"}), "");
  EXPECT_EQ(at(answer, 4, {"metadata", "name"}), "\"default-a\"");
  EXPECT_EQ(at(answer, 4, {"spec", "kubelet"}), R"({"maxPods":20})");
  EXPECT_THAT(answer.err, HasSubstr("2 configurations of the kubelet"));
}

TEST(Convert, TheSettingsAreInEachClass) {
  const Answer answer = convert(R"(apiVersion: v1
kind: ConfigMap
metadata: {name: karpenter-global-settings, namespace: karpenter}
data: {aws.defaultInstanceProfile: profile, aws.tags: '{"a":"of the settings","b":"c"}'}
---
)" + node_template("{tags: {a: of the template}, " + kSelectors + "}"));
  ASSERT_EQ(answer.exit, 0) << answer.err;
  EXPECT_EQ(at(answer, 1, {"spec", "instanceProfile"}), "\"profile\"");
  EXPECT_EQ(at(answer, 1, {"spec", "tags"}), R"({"a":"of the template","b":"c"})");
}

TEST(Convert, DriftIsAsTheSettingsHaveIt) {
  const std::string settings =
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: karpenter-global-settings}\n"
      "data: {featureGates.driftEnabled: \"true\"}\n---\n";
  const Answer answer = convert(settings + provisioner("{providerRef: {name: default}}"));
  ASSERT_EQ(answer.exit, 0) << answer.err;
  EXPECT_EQ(at(answer, 1, {"spec", "disruption", "budgets"}),
            R"([{"nodes":"100%","reasons":["Empty"]},{"nodes":"1","reasons":["Drifted"]}])");
  EXPECT_THAT(answer.err, Not(HasSubstr("drift was off")));
}

TEST(Convert, AnInlineProviderIsAClassOfItsOwn) {
  const Answer answer = convert(provisioner("{provider: {instanceProfile: p, " + kSelectors + "}}"));
  ASSERT_EQ(answer.exit, 0) << answer.err;
  EXPECT_EQ(at(answer, 0, {"spec", "template", "spec", "nodeClassRef", "name"}), "\"default\"");
  EXPECT_EQ(at(answer, 1, {"metadata", "name"}), "\"default\"");
  EXPECT_EQ(at(answer, 1, {"spec", "instanceProfile"}), "\"p\"");
}

TEST(Convert, V1beta1) {
  const std::vector<Row> rows = {
      {"{}", {"spec", "disruption"}, R"({"consolidationPolicy":"WhenEmptyOrUnderutilized","consolidateAfter":"0s"})"},
      {"{disruption: {consolidationPolicy: WhenEmpty, consolidateAfter: 1m, expireAfter: Never}}",
       {"spec", "disruption"},
       R"({"consolidationPolicy":"WhenEmpty","consolidateAfter":"1m"})"},
      {"{disruption: {expireAfter: 48h}}",
       {"spec", "template", "spec", "expireAfter"},
       "\"48h\"",
       "regardless of budgets"},
      {"{}",
       {"spec", "template", "spec", "nodeClassRef"},
       R"({"group":"karpenter.k8s.aws","kind":"EC2NodeClass","name":"default"})"},
      {"{}",
       {"spec", "template", "spec", "kubelet"},
       "",
       "spec.template.spec.kubelet: belongs into spec.kubelet of EC2NodeClass"},
  };
  for (const Row& row : rows) {
    std::string spec = row.spec;
    spec.insert(1, std::string("template: {spec: {requirements: [], kubelet: {maxPods: 9}, nodeClassRef: {apiVersion: "
                               "karpenter.k8s.aws/v1beta1, kind: EC2NodeClass, name: default}}}") +
                       (spec == "{}" ? "" : ", "));
    const Answer answer = convert(beta_pool(spec));
    EXPECT_EQ(answer.exit, 0) << row.spec << "\n" << answer.err;
    EXPECT_EQ(found_at(answer, row.path), row.expected) << row.spec;
    EXPECT_THAT(answer.err, HasSubstr(row.note)) << row.spec;
  }
}

TEST(Convert, OtherDocumentsPassAndTheirOldKeysAreNoted) {
  const std::string pod =
      "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  annotations:\n    karpenter.sh/do-not-evict: \"true\"\n"
      "spec:\n  nodeSelector:\n    karpenter.sh/provisioner-name: default\n";
  const Answer answer = convert(pod);
  EXPECT_EQ(answer.exit, 0);
  EXPECT_EQ(answer.out, pod);
  EXPECT_THAT(answer.err, HasSubstr("spec.nodeSelector.karpenter.sh/provisioner-name: is karpenter.sh/nodepool in v1"));
  EXPECT_THAT(answer.err,
              HasSubstr("metadata.annotations.karpenter.sh/do-not-evict: is karpenter.sh/do-not-disrupt in v1"));
}

TEST(Convert, JsonIsOneList) {
  const Answer answer = convert(node_template("{" + kSelectors + "}"), "json");
  const auto list = json::parse(answer.out);
  ASSERT_TRUE(list) << answer.out;
  EXPECT_EQ(json::array_at(*list, {"items"}).size(), 1u);
}

// What is refused, with the text of v0.27's webhook.
TEST(Convert, WhatIsInvalidIsRefused) {
  const std::string ok = "providerRef: {name: d}";
  const std::pair<std::string, std::string> rows[] = {
      {provisioner("{}"), "spec.provider, spec.providerRef: expected exactly one, got neither"},
      {provisioner("{" + ok + ", provider: {" + kSelectors + "}}"),
       "spec.provider, spec.providerRef: expected exactly one, got both"},
      {provisioner("{" + ok + ", ttlSecondsAfterEmpty: 1, consolidation: {enabled: true}}"),
       "spec.consolidation.enabled, spec.ttlSecondsAfterEmpty: expected exactly one, got both"},
      {provisioner("{" + ok + ", ttlSecondsUntilExpired: -1}"),
       "spec.ttlSecondsUntilExpired: invalid value: cannot be negative"},
      {provisioner("{" + ok +
                   ", taints: [{key: a, effect: NoSchedule}], startupTaints: [{key: a, effect: NoSchedule}]}"),
       "spec.startupTaints[0]: duplicate taint Key/Effect pair a=NoSchedule"},
      {provisioner("{" + ok + ", requirements: [{key: a, operator: In}]}"),
       "spec.requirements[0]: invalid value: key a with operator In must have a value defined"},
      {provisioner("{" + ok + ", requirements: [{key: a, operator: Gt, values: [x]}]}"),
       "spec.requirements[0]: invalid value: key a with operator Gt must have a single positive integer value"},
      {provisioner("{" + ok + ", labels: {karpenter.sh/provisioner-name: x}}"),
       "spec.labels: invalid key name \"karpenter.sh/provisioner-name\": restricted"},
      {provisioner("{" + ok + ", provider2: {}}"), "spec.provider2: unknown field"},
      {provisioner("{provider: {colour: red, " + kSelectors + "}}"), "spec.provider: json: unknown field \"colour\""},
      {node_template("{launchTemplate: x, subnetSelector: {a: b}}"),
       "spec.launchTemplate: cannot convert with \"spec.launchTemplate\""},
      {node_template("{launchTemplate: x, userData: z, subnetSelector: {a: b}}"),
       "spec.provider.launchTemplate, spec.provider.userData: expected exactly one, got both"},
      {node_template("{amiFamily: Custom, " + kSelectors + "}"), "spec.amiSelector: missing field(s)"},
      {node_template("{subnetSelector: {aws-ids: vpc-1}, securityGroupSelector: {a: b}}"),
       "spec.provider.subnetSelector['aws-ids']: invalid value: vpc-1"},
      {"apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: a}\nspec: {weight: 200}\n",
       "spec.template: Required value"},
      {"a: [\n", "line"},
  };
  for (const auto& [yaml, error] : rows) {
    const Answer answer = convert(yaml);
    EXPECT_EQ(answer.exit, 1) << yaml;
    EXPECT_EQ(answer.out, "") << yaml;
    EXPECT_THAT(answer.err, HasSubstr(error)) << yaml;
  }
}

TEST(Convert, AFileThatDoesNotExistIsAnError) {
  std::istringstream in;
  std::ostringstream out, err;
  EXPECT_EQ(run_convert({.files = {"no-such-file.yaml"}}, in, out, err), 1);
  EXPECT_THAT(err.str(), HasSubstr("no-such-file.yaml"));
}

// Exit code 2, before anything is read or connected.
TEST(Convert, OptionsThatContradictEachOther) {
  const auto usage = [](const ConvertOptions& options) {
    std::istringstream in;
    std::ostringstream out, err;
    EXPECT_EQ(run_convert(options, in, out, err), kExitUsage) << err.str();
    return err.str();
  };
  EXPECT_THAT(usage({}), HasSubstr("give one of --filename and --in-cluster"));
  EXPECT_THAT(usage({.files = {"-"}, .in_cluster = true, .apply = true}),
              HasSubstr("give one of --filename and --in-cluster"));
  EXPECT_THAT(usage({.in_cluster = true}), HasSubstr("needs one of --dry-run and --apply"));
  EXPECT_THAT(usage({.in_cluster = true, .dry_run = true, .apply = true}),
              HasSubstr("needs one of --dry-run and --apply"));
  EXPECT_THAT(usage({.files = {"-"}, .apply = true}), HasSubstr("need --in-cluster"));
  EXPECT_THAT(usage({.files = {"-"}, .rollback = "x"}), HasSubstr("need --in-cluster"));
}

}  // namespace
}  // namespace tenon::cli
