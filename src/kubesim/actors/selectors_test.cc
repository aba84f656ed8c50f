// SPDX-License-Identifier: Apache-2.0
#include "kubesim/actors/selectors.h"

#include <gtest/gtest.h>

#include "json/json.h"
#include "json/yaml.h"
#include "kubesim/actors/amounts.h"
#include "kubesim/actors/objects.h"

namespace tenon::kubesim {
namespace {

json::value yaml(std::string_view text) { return json::parse_yaml(text).value().front(); }

TEST(LabelSelector, Table) {
  const json::object labels = yaml("{app: web, tier: front, size: '5'}").as_object();
  const std::pair<const char*, bool> rows[] = {
      {"{}", true},
      {"{matchLabels: {app: web}}", true},
      {"{matchLabels: {app: web, tier: back}}", false},
      {"{matchLabels: {other: web}}", false},
      {"{matchExpressions: [{key: app, operator: In, values: [db, web]}]}", true},
      {"{matchExpressions: [{key: app, operator: NotIn, values: [db, web]}]}", false},
      {"{matchExpressions: [{key: other, operator: NotIn, values: [web]}]}", true},
      {"{matchExpressions: [{key: app, operator: Exists}]}", true},
      {"{matchExpressions: [{key: app, operator: DoesNotExist}]}", false},
      {"{matchExpressions: [{key: app, operator: Sounds, values: [like]}]}", false},
  };
  for (const auto& [selector, matches] : rows) {
    const json::value parsed = yaml(selector);
    EXPECT_EQ(LabelSelector::parse(&parsed).matches(labels), matches) << selector;
  }
  EXPECT_FALSE(LabelSelector::parse(nullptr).matches(labels));
}

TEST(NodeAffinity, Table) {
  const json::object labels = yaml("{zone: a, cpus: '8'}").as_object();
  const auto required = [](const std::string& terms) {
    return "{affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: " + terms +
           "}}}}";
  };
  const std::pair<std::string, bool> rows[] = {
      {"{}", true},
      {"{nodeSelector: {zone: a}}", true},
      {"{nodeSelector: {zone: b}}", false},
      {required("[{matchExpressions: [{key: cpus, operator: Gt, values: ['7']}]}]"), true},
      {required("[{matchExpressions: [{key: cpus, operator: Gt, values: ['8']}]}]"), false},
      {required("[{matchExpressions: [{key: cpus, operator: Lt, values: ['9']}]}]"), true},
      {required("[{matchExpressions: [{key: zone, operator: Lt, values: ['9']}]}]"), false},
      {required("[{matchExpressions: [{key: zone, operator: In, values: [b]}]}, {matchExpressions: [{key: zone, "
                "operator: Exists}]}]"),
       true},
      {required("[{}]"), false},
      {required("[]"), false},
      {required("[{matchFields: [{key: metadata.name, operator: In, values: [n1]}]}]"), true},
      {required("[{matchFields: [{key: metadata.name, operator: In, values: [n2]}]}]"), false},
  };
  for (const auto& [spec, matches] : rows)
    EXPECT_EQ(NodeAffinity::parse(yaml(spec)).matches("n1", labels), matches) << spec;
}

TEST(NodeAffinity, PreferenceSumsTheWeightsThatHold) {
  const json::value spec = yaml(
      "{affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: ["
      "{weight: 5, preference: {matchExpressions: [{key: zone, operator: In, values: [a]}]}},"
      "{weight: 7, preference: {matchExpressions: [{key: zone, operator: In, values: [b]}]}},"
      "{weight: 20, preference: {matchExpressions: [{key: zone, operator: Exists}]}}]}}}");
  EXPECT_EQ(NodeAffinity::parse(spec).preference("n", yaml("{zone: a}").as_object()), 25);
  EXPECT_EQ(NodeAffinity::parse(spec).preference("n", json::object()), 0);
}

TEST(Toleration, Table) {
  struct Row {
    const char* toleration;
    Taint taint;
    bool tolerates;
  };
  const Row rows[] = {
      {"{key: a, operator: Equal, value: b, effect: NoSchedule}", {"a", "b", "NoSchedule"}, true},
      {"{key: a, value: b}", {"a", "b", "NoExecute"}, true},
      {"{key: a, value: b}", {"a", "c", "NoExecute"}, false},
      {"{key: a, operator: Exists}", {"a", "anything", "NoSchedule"}, true},
      {"{key: a, operator: Exists, effect: NoSchedule}", {"a", "", "NoExecute"}, false},
      {"{operator: Exists}", {"whatever", "", "NoExecute"}, true},
      {"{value: b}", {"a", "b", "NoExecute"}, false},
  };
  for (const Row& row : rows) {
    const json::value spec = json::object{{"tolerations", json::array{yaml(row.toleration)}}};
    EXPECT_EQ(tolerated(tolerations_of(spec), row.taint), row.tolerates) << row.toleration;
  }
}

TEST(Amounts, PodRequests) {
  const json::value spec = yaml(R"(
initContainers:
- {name: side, restartPolicy: Always, resources: {requests: {cpu: 100m, memory: 10Mi}}}
- {name: first, resources: {requests: {cpu: '3', memory: 1Mi}}}
containers:
- {name: a, resources: {requests: {cpu: '1', memory: 1Gi}, limits: {nvidia.com/gpu: 1, cpu: '2'}}}
- {name: b, resources: {requests: {cpu: 500m, memory: 3167538380800m}}}
overhead: {cpu: 10m}
)");
  const Amounts sum = pod_requests(spec);
  EXPECT_EQ(sum.cpu, 3100 + 10);  // the init container with the side-car needs more than the later containers
  EXPECT_EQ(sum.memory, (int64_t{1} << 30) + 3167538381 + 10 * (int64_t{1} << 20));
  EXPECT_EQ(sum.get("nvidia.com/gpu"), 1);
  EXPECT_EQ(sum.pods, 1);
}

TEST(Objects, ConditionsKeepTheirTransitionTimeUntilTheStatusChanges) {
  json::value object = json::object();
  const Instant start{1'700'000'000s};
  EXPECT_TRUE(set_condition(object, {"Ready", "False", "Why", "because"}, start));
  EXPECT_FALSE(set_condition(object, {"Ready", "False", "Why", "because"}, start + 1s));
  EXPECT_TRUE(set_condition(object, {"Ready", "False", "Other", ""}, start + 2s));
  EXPECT_EQ(time_at(*find_condition(object, "Ready"), {"lastTransitionTime"}), start);
  EXPECT_TRUE(set_condition(object, {"Ready", "True", "Other", ""}, start + 3s));
  EXPECT_EQ(time_at(*find_condition(object, "Ready"), {"lastTransitionTime"}), start + 3s);
  EXPECT_TRUE(remove_condition(object, "Ready"));
  EXPECT_EQ(find_condition(object, "Ready"), nullptr);
}

TEST(Objects, IntOrPercent) {
  const json::value percent = "25%", number = 3;
  EXPECT_EQ(int_or_percent(&percent, 10, true, 0), 3);
  EXPECT_EQ(int_or_percent(&percent, 10, false, 0), 2);
  EXPECT_EQ(int_or_percent(&number, 10, false, 0), 3);
  EXPECT_EQ(int_or_percent(nullptr, 10, false, 7), 7);
}

}  // namespace
}  // namespace tenon::kubesim
