// The ablation tool finds scenarios that prove nothing.
// SPDX-License-Identifier: Apache-2.0
#include "ablation.h"

#include <gtest/gtest.h>

#include "base/testing/temp_folder.h"
#include "json/json.h"
#include "json/yaml.h"
#include "rule.h"

namespace tenon::scenarios {
namespace {

using json::value;

// Returns the rest of the documents, or the error.
std::string without(const char* yaml, const std::string& path) {
  std::vector<value> documents = *json::parse_yaml(yaml);
  const Status removed = remove_from_manifests(documents, path);
  if (!removed) return removed.error().message;
  std::string text;
  for (const value& document : documents) text += json::to_string(document);
  return text;
}

TEST(Rule, IsTheFieldAtAPath) {
  constexpr const char* kPods = "{kind: Pod, metadata: {name: a}, spec: {a.b: 1, list: [{x: 1, z: 2}, {x: 3}]}}\n---\n"
                                "{kind: List, items: [{kind: Pod, metadata: {name: b}, spec: {list: [{x: 4}]}}]}";
  const std::string a = R"({"kind":"Pod","metadata":{"name":"a"},"spec":{)", list = R"({"kind":"List","items":[)",
                    b = list + R"({"kind":"Pod","metadata":{"name":"b"},"spec":{"list":[{"x":4}]}}]})";
  EXPECT_EQ(without(kPods, "Pod/a"), b);
  EXPECT_EQ(without(kPods, "Pod"), list + "]}");
  EXPECT_EQ(without(kPods, "Pod/a.spec.\"a.b\""), a + R"("list":[{"x":1,"z":2},{"x":3}]}})" + b);
  EXPECT_EQ(without(kPods, "Pod/a.spec.list.x"), a + R"("a.b":1,"list":[{"z":2},{}]}})" + b);
  EXPECT_EQ(without(kPods, "Pod/a.spec.list[0]"), a + R"("a.b":1,"list":[{"x":3}]}})" + b);
  EXPECT_EQ(without(kPods, "Pod/a.spec.list[0].z"), a + R"("a.b":1,"list":[{"x":1},{"x":3}]}})" + b);
  EXPECT_EQ(without(kPods, "Pod.spec.list"),
            a + R"("a.b":1}})" + list + R"({"kind":"Pod","metadata":{"name":"b"},"spec":{}}]})");
  for (const char* absent : {"Node", "Pod/c", "Pod.spec.z", "Pod.spec.list[2]", "Pod.spec.list[0].q", "Pod.kind.x"})
    EXPECT_EQ(without(kPods, absent), "rule: there is no " + std::string(absent));
  for (const char* bad : {"", ".", "Pod.", "Pod..spec", "Pod.list[x]", "Pod.list[", "[0]", "Pod.\"a", "Pod.\"a\"b"})
    EXPECT_EQ(without(kPods, bad), "rule: " + std::string(bad) + " is not a path");
}

TEST(Rule, IsStatedOrItsAbsenceExplained) {
  const auto paths = [](const char* document) {
    const auto rule = rule_of(*json::parse(document));
    return rule ? static_cast<int>(rule->paths.size()) : -1;
  };
  EXPECT_EQ(paths(R"({"rule":"a"})"), 1);
  EXPECT_EQ(paths(R"({"rule":["a","b"]})"), 2);
  EXPECT_EQ(paths(R"({"noRule":"why"})"), 0);
  for (const char* wrong : {"{}", R"({"rule":"a","noRule":"why"})", R"({"rule":[]})", R"({"rule":1})",
                            R"({"noRule":""})", R"({"noRule":true})"})
    EXPECT_EQ(paths(wrong), -1) << wrong;
}

constexpr const char* kCluster = R"(---
kind: Catalog
name: of its own
labelKeys: [karpenter.sh/capacity-type]
instanceTypes:
- name: std.1
  arch: amd64
  os: [linux]
  labels: {karpenter.sh/capacity-type: [on-demand]}
  capacity: {cpu: "1", memory: 2Gi, pods: "20"}
  offerings: [{zone: east-a, capacityType: on-demand, price: 0.05}]
---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  weight: 10
  limits: {nodes: "0"}
  template: {spec: {requirements: []}}
---
apiVersion: v1
kind: Pod
metadata: {name: a}
spec: {containers: [{name: app, resources: {requests: {cpu: 500m, memory: 1Gi}}}]}
)";

// Returns the tool's result for the scenario whose expectation begins with this text.
std::vector<std::string> said(const std::string& expectation) {
  const TempFolder scratch;
  std::vector<std::string> all;
  for (const Ablation& one : ablate(scratch.write("a.yaml", expectation + kCluster))) all.push_back(describe(one));
  return all;
}

TEST(Ablation, ReportsARuleThatMakesNoDifference) {
  const std::string waits = "kind: Expectation\nexit: 3\nplan: {totals: {newNodes: 0}}\n";
  EXPECT_EQ(said(waits + "rule: NodePool.spec.limits\n"),
            std::vector<std::string>{"fails without NodePool.spec.limits"});
  EXPECT_EQ(said(waits + "rule: NodePool.spec.weight\n"),
            std::vector<std::string>{"PASSES without NodePool.spec.weight"});
  EXPECT_EQ(said(waits + "noRule: because\n"), std::vector<std::string>());
}

TEST(Ablation, ReportsARuleThatCannotBeRemoved) {
  const std::string waits = "kind: Expectation\nexit: 3\n";
  constexpr std::pair<const char*, const char*> kCases[] = {
      {"rule: NodePool.spec.limit\n", "there is no NodePool.spec.limit"},
      {"", "states one of rule and noRule"},
      {"rule: NodePool.metadata.name\n", "is not valid without NodePool.metadata.name: "}};
  for (const auto& [rule, problem] : kCases) {
    const auto all = said(waits + rule);
    ASSERT_EQ(all.size(), 1u);
    EXPECT_NE(all.front().find(problem), std::string::npos) << all.front();
  }
}

TEST(Ablation, PlaysLives) {
  const TempFolder scratch;
  const auto file = scratch.write("a.yaml", R"(
kind: Life
rule: [pool.metadata.labels.team, pool.metadata.labels.other, "steps[1].hold"]
pool: {metadata: {labels: {team: a, other: b}}}
steps: [{expect: {NodePool: {metadata: {labels: {team: a}}}}}, {hold: 1s}]
)");
  const auto all = ablate(file);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].outcome, Outcome::kFails);
  EXPECT_EQ(all[1].outcome, Outcome::kPasses);
  EXPECT_EQ(all[2].outcome, Outcome::kPasses);
}

}  // namespace
}  // namespace tenon::scenarios
