// SPDX-License-Identifier: Apache-2.0
#include "cli/why/why_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/testing/temp_folder.h"
#include "json/json.h"

namespace tenon::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// In addition to the example: a running pod, one with a scheduling gate, one with a preference that cannot be met.
constexpr std::string_view kMore = R"(
apiVersion: v1
kind: Node
metadata: {name: n1, labels: {kubernetes.io/hostname: n1}}
status:
  capacity: {cpu: "1", memory: 1Gi, pods: "5"}
  allocatable: {cpu: "1", memory: 1Gi, pods: "5"}
---
apiVersion: v1
kind: Pod
metadata: {name: old}
spec: {nodeName: n1, containers: [{name: a, image: a, resources: {requests: {cpu: 100m}}}]}
status: {phase: Running}
---
apiVersion: v1
kind: Pod
metadata: {name: gated}
spec: {schedulingGates: [{name: wait}], containers: [{name: a, image: a}]}
---
apiVersion: v1
kind: Pod
metadata: {name: small}
spec: {containers: [{name: a, image: a, resources: {requests: {cpu: 100m}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: wisher}
spec:
  affinity:
    nodeAffinity:
      preferredDuringSchedulingIgnoredDuringExecution:
        - weight: 1
          preference: {matchExpressions: [{key: topology.kubernetes.io/zone, operator: In, values: [moon-1]}]}
  containers: [{name: a, image: a, resources: {requests: {cpu: "3"}}}]
)";

struct Answer {
  int exit = 0;
  std::string out, err;
};

Answer why(const std::string& subject, const std::string& output = "text", int max_types = 600) {
  const TempFolder folder;
  WhyOptions options;
  options.subject = subject;
  options.plan.files = {TENON_SOURCE_DIR "/examples/plan", folder.write("more.yaml", std::string(kMore))};
  options.plan.now = "2026-09-01T12:00:00Z";
  options.plan.output = output;
  options.plan.max_instance_types = max_types;
  std::ostringstream out, err;
  const int code = run_why(options, out, err);
  return {code, out.str(), err.str()};
}

TEST(Why, APodThatCannotBePlaced) {
  const Answer text = why("pod/default/report");
  EXPECT_EQ(text.exit, 0);
  EXPECT_EQ(text.out,
            "pod/default/report is unschedulable\n"
            "├─ NodePool default\n"
            "│  └─ cpu: 20 asked, 15790m is the most any type has\n"
            "│     └─ pod.spec.containers[*].resources.requests[cpu]\n"
            "└─ NodePool batch\n"
            "   └─ taint batch:NoSchedule is not tolerated\n"
            "      └─ nodePool.spec.template.spec.taints[0]\n");
  const json::value document = *json::parse(why("pod/report", "json").out);
  EXPECT_EQ(json::string_at(document, {"verdict"}), "unschedulable");
  EXPECT_EQ(json::string_at(json::array_at(document, {"detail"}).at(0), {"constraint"}), "resources");
  EXPECT_EQ(json::string_at(json::array_at(document, {"detail"}).at(1), {"field"}),
            "nodePool.spec.template.spec.taints[0]");
}

TEST(Why, APodOnANewNode) {
  const Answer text = why("pod/batch/nightly");
  EXPECT_THAT(text.out, StartsWith("pod/batch/nightly is placed on a new node, new-0\n└─ node/new-0: c6g.2xlarge"));
  EXPECT_THAT(text.out, HasSubstr("instance types in the NodeClaim, lowest price first: c6g.2xlarge, "));
  EXPECT_THAT(text.out, HasSubstr("by resources: "));
  EXPECT_THAT(text.out, HasSubstr(": cpu: 6 asked, room for 3820m\n"));
  const json::value document = *json::parse(why("pod/batch/nightly", "json").out);
  EXPECT_EQ(json::string_at(document, {"node", "launch", "instanceType"}), "c6g.2xlarge");
  EXPECT_GT(json::array_at(document, {"node", "why", "runnersUp"}).size(), 50u);
}

TEST(Why, PodsThatAreNotPlanned) {
  EXPECT_EQ(why("pod/old").out, "pod/default/old already runs on node n1\n");
  EXPECT_EQ(why("pod/gated").out, "pod/default/gated is not placed by the autoscaler: has scheduling gates\n");
  EXPECT_THAT(why("pod/small").out, StartsWith("pod/default/small is placed on the existing node n1; no node"));
  EXPECT_EQ(json::string_at(*json::parse(why("pod/small", "json").out), {"node"}), "n1");
}

TEST(Why, APreferenceThatWasGivenUp) {
  const std::string wish = "preferred node affinity: topology.kubernetes.io/zone In [moon-1]";
  EXPECT_THAT(why("pod/wisher").out, HasSubstr("relaxed preferences:\n   └─ " + wish));
  const json::value document = *json::parse(why("pod/wisher", "json").out);
  EXPECT_EQ(json::to_string(*json::find(document, {"relaxed"})), "[\"" + wish + "\"]");
}

TEST(Why, Nodes) {
  EXPECT_THAT(why("node/new-0").out, StartsWith("node/new-0: c6g.2xlarge in us-east-1"));
  EXPECT_EQ(why("node/n1").out, "node/n1 is not managed: it has no NodeClaim\n");
  EXPECT_EQ(json::string_at(*json::parse(why("node/n1", "json").out), {"verdict"}), "not managed");
  const Answer nowhere = why("node/new-99");
  EXPECT_EQ(nowhere.exit, 1);
  EXPECT_THAT(nowhere.err, HasSubstr("no node new-99; the plan would launch new-0, new-1"));
}

TEST(Why, SubjectsThatAreNone) {
  for (const char* subject : {"report", "pod/", "deployment/web", ""}) EXPECT_EQ(why(subject).exit, 2) << subject;
  EXPECT_EQ(why("pod/nobody").exit, 1);
  EXPECT_THAT(why("pod/nobody").err, HasSubstr("pod default/nobody is not in the input"));
}

TEST(Why, FewerTypesIfOnlySoManyMayBeListed) {
  const json::value document = *json::parse(why("node/new-0", "json", 2).out);
  EXPECT_EQ(json::to_string(*json::find(document, {"node", "instanceTypes"})), R"(["c6g.2xlarge","c7g.2xlarge"])");
  EXPECT_EQ(json::int_at(document, {"node", "why", "typesPossible"}), 2);
}

}  // namespace
}  // namespace tenon::cli
