// SPDX-License-Identifier: Apache-2.0
#include "adopt/inspect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adopt/cloud.h"
#include "base/text.h"
#include "json/json.h"
#include "json/yaml.h"

namespace tenon::adopt {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

json::value yaml(const std::string& text) {
  auto documents = json::parse_yaml(text);
  EXPECT_TRUE(documents && documents->size() == 1) << text;
  return documents ? documents->front() : json::value();
}

const schema::KnownSchemas& schemas() {
  static const Result<schema::KnownSchemas> kSchemas = schema::KnownSchemas::make();
  return *kSchemas;
}

json::value definition(const std::string& plural, const std::string& group, const std::string& more = "") {
  return yaml("{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: " + plural + "." +
              group + "}, spec: {group: " + group + ", versions: [{name: v1, served: true, storage: true}]" + more +
              "}, status: {storedVersions: [v1]}}");
}

const std::string kPool = R"(
apiVersion: karpenter.sh/v1
kind: NodePool
metadata:
  name: default
  annotations: {karpenter.sh/nodepool-hash: "HASH", karpenter.sh/nodepool-hash-version: v3}
spec:
  template:
    spec:
      requirements: [{key: karpenter.sh/capacity-type, operator: In, values: [spot]}]
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
  disruption: {consolidateAfter: 0s}
)";

Observed healthy() {
  Observed out;
  out.definitions = {definition("nodepools", "karpenter.sh"), definition("nodeclaims", "karpenter.sh"),
                     definition("ec2nodeclasses", "karpenter.k8s.aws")};
  return out;
}

KnownSettings known() {
  return {.variables = {"CLUSTER_NAME"},
          .flags = {"--cluster-name"},
          .without_effect = {"MEMORY_LIMIT"},
          .feature_gates = {"NodeRepair"},
          .actions = {"ec2:CreateFleet", "sqs:ReceiveMessage"}};
}

// "blocks Lease/a: text" for each finding.
std::vector<std::string> findings(const Observed& observed) {
  std::vector<std::string> out;
  for (const Finding& one : inspect(observed, "leader", known(), schemas()).findings)
    out.push_back(std::string(to_string(one.level)) + " " + one.object + ": " + one.text);
  return out;
}

bool blocked(const Observed& observed) { return inspect(observed, "leader", known(), schemas()).blocked(); }

TEST(Inspect, NothingBlocksAHealthyCluster) {
  EXPECT_FALSE(blocked(healthy()));
  EXPECT_THAT(findings(healthy()), Contains(HasSubstr("ok CustomResourceDefinition/nodepools.karpenter.sh")));
  EXPECT_THAT(findings(healthy()), Contains(HasSubstr("unknown IAM role")));
}

TEST(Inspect, AControllerThatLeadsBlocks) {
  Observed observed = healthy();
  observed.leases = {{"karpenter", "karpenter-1", true}};
  EXPECT_TRUE(blocked(observed));
  observed.leases.front().live = false;
  EXPECT_FALSE(blocked(observed));
}

TEST(Inspect, AMissingDefinitionBlocks) {
  Observed observed = healthy();
  observed.definitions.pop_back();
  EXPECT_THAT(findings(observed), Contains(HasSubstr("blocks CustomResourceDefinition/ec2nodeclasses")));
}

TEST(Inspect, AStoredEarlierVersionIsNamed) {
  Observed observed = healthy();
  json::ensure(observed.definitions.front(), {"status", "storedVersions"}) = json::array{"v1beta1", "v1"};
  EXPECT_THAT(findings(observed), Contains(HasSubstr("changes CustomResourceDefinition/nodepools.karpenter.sh: "
                                                     "status.storedVersions: [\"v1beta1\",\"v1\"]")));
}

TEST(Inspect, AnotherHashOfTheSameVersionIsDrift) {
  Observed observed = healthy();
  observed.pools = {yaml(kPool)};
  EXPECT_THAT(findings(observed), Contains(HasSubstr("drifts NodePool/default: spec.template: Karpenter recorded")));
  json::ensure(observed.pools.front(), {"metadata", "annotations", "karpenter.sh/nodepool-hash-version"}) = "v2";
  EXPECT_THAT(findings(observed), Contains(HasSubstr("changes NodePool/default: its hash has the version")));
}

TEST(Inspect, AnObjectThatTheSchemaRejectsBlocks) {
  Observed observed = healthy();
  observed.pools = {yaml(kPool)};
  json::ensure(observed.pools.front(), {"spec", "disruption", "consolidationPolicy"}) = "Never";
  EXPECT_TRUE(blocked(observed));
  EXPECT_THAT(findings(observed), Contains(HasSubstr("blocks NodePool/default: spec.disruption.consolidationPolicy")));
}

json::value claim(const std::string& pool, const std::string& condition) {
  return yaml(
      "{apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: a, labels: {karpenter.sh/nodepool: " + pool +
      "}}, spec: {requirements: [], nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}}, "
      "status: {conditions: [" +
      condition + "]}}");
}

const std::string kLaunched =
    "{type: Launched, status: 'True', reason: Launched, message: '', lastTransitionTime: '2026-01-01T00:00:00Z'}";

TEST(Inspect, AClaimWithoutItsPoolIsNamed) {
  Observed observed = healthy();
  observed.claims = {claim("gone", kLaunched)};
  EXPECT_THAT(findings(observed), Contains(HasSubstr("drifts NodeClaim/a: its NodePool \"gone\" does not exist")));
}

TEST(Inspect, AClaimThatIsBeingLaunchedBlocks) {
  Observed observed = healthy();
  observed.pools = {yaml(kPool)};
  observed.claims = {claim("default", "")};
  EXPECT_THAT(findings(observed), Contains(HasSubstr("blocks NodeClaim/a: is not launched yet")));
}

json::value webhook(const std::string& more = "") {
  return yaml(
      "{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: "
      "validation.webhook.karpenter.sh, uid: u}, webhooks: [{name: a, clientConfig: {service: {namespace: "
      "karpenter, name: karpenter}}, rules: [{apiGroups: [karpenter.sh]}]}" +
      more + "]}");
}

TEST(Inspect, AWebhookWhoseServiceIsGoneIsRemoved) {
  Observed observed = healthy();
  observed.validating = {webhook()};
  const Report report = inspect(observed, "leader", known(), schemas());
  ASSERT_EQ(report.writes.size(), 1U);
  EXPECT_EQ(migrate::describe(report.writes.front()),
            "delete ValidatingWebhookConfiguration validation.webhook.karpenter.sh");
  EXPECT_EQ(report.originals.size(), 1U);
  observed.services = {"karpenter/karpenter"};
  EXPECT_THAT(inspect(observed, "leader", known(), schemas()).writes, IsEmpty());
}

TEST(Inspect, AConfigurationOfOthersIsKept) {
  Observed observed = healthy();
  observed.validating = {webhook(", {name: b, clientConfig: {url: 'https://a'}, rules: [{apiGroups: [apps]}]}")};
  EXPECT_TRUE(blocked(observed));
  EXPECT_THAT(inspect(observed, "leader", known(), schemas()).writes, IsEmpty());
}

TEST(Inspect, ADeadConversionOfOneVersionIsSwitchedOff) {
  const std::string conversion =
      ", conversion: {strategy: Webhook, webhook: {clientConfig: {service: {namespace: karpenter, name: karpenter}}}}";
  Observed observed = healthy();
  observed.definitions.front() = definition("nodepools", "karpenter.sh", conversion);
  EXPECT_EQ(inspect(observed, "leader", known(), schemas()).writes.size(), 1U);
  json::ensure(observed.definitions.front(), {"status", "storedVersions"}) = json::array{"v1beta1", "v1"};
  EXPECT_TRUE(blocked(observed));
  EXPECT_THAT(inspect(observed, "leader", known(), schemas()).writes, IsEmpty());
}

TEST(Inspect, SettingsWithoutEffectAreNamedWithoutTheirValues) {
  Observed observed = healthy();
  observed.deployments = {yaml(R"({apiVersion: apps/v1, kind: Deployment, metadata: {name: karpenter, namespace: k,
    labels: {app.kubernetes.io/name: karpenter}}, spec: {template: {spec: {containers: [{name: controller,
    args: [-cluster-name=a, --secret-flag, value], env: [{name: CLUSTER_NAME, value: a}, {name: MEMORY_LIMIT, value: x},
    {name: OTHER, value: hunter2}, {name: FEATURE_GATES, value: "NodeRepair=true,Unheard=true"}]}]}}}})")};
  const std::vector<std::string> all = findings(observed);
  EXPECT_THAT(all, Contains("changes Deployment/k/karpenter: OTHER: Tenon has no such setting"));
  EXPECT_THAT(all, Contains("changes Deployment/k/karpenter: --secret-flag: Tenon has no such setting"));
  EXPECT_THAT(all, Contains("changes Deployment/k/karpenter: MEMORY_LIMIT: Tenon accepts this setting without effect"));
  EXPECT_THAT(all, Contains(HasSubstr("does not know the gate Unheard")));
  EXPECT_THAT(all, Not(Contains(HasSubstr("CLUSTER_NAME"))));
  EXPECT_THAT(all, Not(Contains(HasSubstr("gate NodeRepair"))));
  EXPECT_THAT(all, Not(Contains(HasSubstr("hunter2"))));
}

// Karpenter with a role and a queue.
Observed on_aws(const std::string& queue) {
  Observed observed = healthy();
  observed.deployments = {
      yaml("{apiVersion: apps/v1, kind: Deployment, metadata: {name: karpenter, namespace: k, labels: "
           "{app.kubernetes.io/name: karpenter}}, spec: {template: {spec: {serviceAccountName: karpenter, "
           "containers: [" +
           queue + "]}}}}")};
  observed.service_accounts = {
      yaml("{kind: ServiceAccount, metadata: {name: karpenter, annotations: {eks.amazonaws.com/role-arn: "
           "'arn:aws:iam::123456789012:role/a/R'}}}")};
  return observed;
}
const std::string kQueueVariable = "{env: [{name: INTERRUPTION_QUEUE, value: q}]}";

TEST(Inspect, TheRoleAndTheQueueAreNamedByTheCluster) {
  for (const std::string& queue : {kQueueVariable, std::string("{args: [--interruption-queue=q]}"),
                                   std::string("{args: [--interruption-queue, q]}")}) {
    const CloudNames names = cloud_names(on_aws(queue));
    EXPECT_EQ(names.queue, "q") << queue;
    EXPECT_EQ(role_name(names.role_arn), "R");
  }
  EXPECT_EQ(cloud_names(on_aws("{args: [--interruption-queue]}")).queue, "");
  EXPECT_EQ(role_name("arn:aws:iam::123456789012:user/R"), "");
  EXPECT_EQ(role_name("R"), "");
}

TEST(Inspect, WhatAwsAnswersIsJudged) {
  const std::string role = "role arn:aws:iam::123456789012:role/a/R: ";
  Observed observed = on_aws(kQueueVariable);
  observed.cloud.not_asked = "no region";
  EXPECT_THAT(findings(observed), Contains("unknown " + role + "is not asked: no region"));
  EXPECT_THAT(findings(observed), Contains("unknown queue q: is not asked: no region"));

  const json::value some = *json::parse(R"({"Statement": [{"Effect": "Allow", "Action": "ec2:*", "Resource": "*"}]})");
  const json::value all = *json::parse(R"({"Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]})");
  observed.cloud = {.role = RoleAnswer{{some}, false}, .queue = Status(fail(Code::kNotFound, "none"))};
  EXPECT_THAT(findings(observed),
              Contains(HasSubstr("changes " + role + "no policy of it allows sqs:ReceiveMessage:")));
  EXPECT_THAT(findings(observed), Contains("changes queue q: does not exist: no interruption is announced"));
  EXPECT_FALSE(blocked(observed));

  observed.cloud = {.role = RoleAnswer{{some, all}, true}, .queue = ok()};
  EXPECT_THAT(findings(observed), Contains(HasSubstr("unknown " + role + "allows each action, but has a permissions")));
  EXPECT_THAT(findings(observed), Contains("ok queue q: exists"));
  observed.cloud.role = RoleAnswer{{all}, false};
  EXPECT_THAT(findings(observed), Contains(HasSubstr("ok " + role)));

  observed.cloud = {.role = Result<RoleAnswer>(fail(Code::kForbidden, "iam GetRole: AccessDenied")),
                    .queue = Status(fail(Code::kForbidden, "sqs GetQueueUrl: AccessDenied"))};
  EXPECT_THAT(findings(observed), Contains("unknown " + role + "iam GetRole: AccessDenied"));
  EXPECT_THAT(findings(observed), Contains("unknown queue q: sqs GetQueueUrl: AccessDenied"));
}

}  // namespace
}  // namespace tenon::adopt
