// SPDX-License-Identifier: Apache-2.0
#include "migrate/decide.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/json.h"
#include "json/yaml.h"
#include "migrate/claim.h"
#include "migrate/originals.h"

namespace tenon::migrate {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const Instant kNow = *parse_rfc3339("2026-09-01T12:00:00Z");
const std::string kId = "aws:///us-east-1a/i-0a";

Documents yaml(const std::string& text) {
  auto documents = json::parse_yaml(text);
  EXPECT_TRUE(documents) << text;
  return documents ? *documents : Documents();
}

const schema::KnownSchemas& schemas() {
  static const auto kSchemas = schema::KnownSchemas::make();
  return *kSchemas;
}

std::string provisioner(const std::string& name, const std::string& more = "") {
  return "{apiVersion: karpenter.sh/v1alpha5, kind: Provisioner, metadata: {name: " + name + ", uid: p-" + name +
         "}, spec: {providerRef: {name: t}" + more + "}}\n---\n";
}

// One Provisioner with a template; one node, which has no NodeClaim; its instance.
Observed cluster() {
  Observed o;
  o.now = kNow;
  o.cluster_name = "demo";
  o.kubernetes_version = "v1.34.1";
  o.provisioners = yaml(provisioner("a"));
  o.templates = yaml(R"(
apiVersion: karpenter.k8s.aws/v1alpha1
kind: AWSNodeTemplate
metadata: {name: t, uid: t-t, annotations: {karpenter.sh/nodepool-hash: "1"}}
spec: {subnetSelector: {a: b}, securityGroupSelector: {a: b}, instanceProfile: nodes}
)");
  o.nodes = yaml(R"(
apiVersion: v1
kind: Node
metadata:
  name: n1
  uid: u1
  creationTimestamp: "2026-09-01T02:00:00Z"
  labels:
    karpenter.sh/provisioner-name: a
    karpenter.sh/initialized: "true"
    karpenter.sh/capacity-type: on-demand
    kubernetes.io/arch: amd64
    kubernetes.io/os: linux
    kubernetes.io/hostname: n1
    node.kubernetes.io/instance-type: m5.large
    topology.kubernetes.io/zone: us-east-1a
    karpenter.k8s.aws/instance-category: m
    karpenter.k8s.aws/instance-generation: "5"
    custom: "1"
spec: {providerID: "aws:///us-east-1a/i-0a"}
status: {capacity: {cpu: "2"}, allocatable: {cpu: "1900m"}}
)");
  o.instances[kId] = {.id = "i-0a",
                      .image_id = "ami-1",
                      .zone = "us-east-1a",
                      .tags = {{"team", "a"}, {"kubernetes.io/cluster/demo", "owned"}}};
  return o;
}

// A NodeClaim of Provisioner `a` for the node.
std::string claim(const std::string& metadata = "", const std::string& registered = "True") {
  return "{apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: a-x, uid: c1, resourceVersion: '7', "
         "finalizers: "
         "[karpenter.sh/termination], labels: {karpenter.sh/provisioner-name: a}" +
         metadata +
         "}, spec: {nodeClassRef: {group: karpenter.k8s.aws, kind: AWSNodeTemplate, name: t}}, status: {providerID: " +
         kId + ", conditions: [{type: Registered, status: '" + registered + "'}]}}";
}

std::vector<std::string> lines(const Plan& plan) {
  std::vector<std::string> out;
  for (const Write& write : plan.writes) out.push_back(describe(write));
  return out;
}

json::value created(const Plan& plan, const std::string& kind) {
  for (const Write& write : plan.writes) {
    if (write.verb == Verb::kCreate && write.type.kind == kind) return write.body;
  }
  return {};
}

TEST(Decide, ANodeOfV027GetsANodeClaim) {
  EXPECT_THAT(
      lines(decide(cluster(), schemas())),
      ElementsAre("create EC2NodeClass t", "create NodePool a", "create NodeClaim a-0a",
                  "write the status of NodeClaim a-0a: " + kId,
                  "patch Node n1: metadata.labels[karpenter.k8s.aws/ec2nodeclass]: \"t\"; "
                  "metadata.labels[karpenter.sh/nodepool]: \"a\"; metadata.labels[karpenter.sh/registered]: \"true\"; "
                  "metadata.finalizers: [\"karpenter.sh/termination\"]; metadata.ownerReferences: NodeClaim a-0a",
                  "tag i-0a: eks:eks-cluster-name=demo, karpenter.k8s.aws/ec2nodeclass=t, karpenter.sh/nodeclaim=a-0a, "
                  "karpenter.sh/nodepool=a",
                  "delete Provisioner a", "delete AWSNodeTemplate t"));
}

// The order is the safety: handover.h.
TEST(Decide, ANodeOfTenonIsHiddenWhileItHasNoNodeClaim) {
  Observed o = cluster();
  o.claims = yaml(claim());
  json::ensure(o.nodes[0], {"metadata", "ownerReferences"}) =
      json::array{json::object{{"kind", "NodeClaim"}, {"name", "a-x"}, {"uid", "c1"}}};
  o.instances[kId].tags["karpenter.k8s.aws/ec2nodeclass"] = "awsnodetemplate/t";
  const std::vector<std::string> all = lines(decide(o, schemas()));
  ASSERT_EQ(all.size(), 12u);
  EXPECT_THAT(
      std::vector(all.begin() + 2, all.begin() + 8),
      ElementsAre("remove tags of i-0a: karpenter.k8s.aws/ec2nodeclass",
                  "patch Node n1: metadata.ownerReferences: none", "patch NodeClaim a-x: metadata.finalizers: []",
                  "delete NodeClaim a-x", "create NodeClaim a-x", "write the status of NodeClaim a-x: " + kId));
  EXPECT_THAT(all[9], HasSubstr("karpenter.k8s.aws/ec2nodeclass=t"));
}

TEST(Decide, TheNodeClaimIsThatOfTheRunningNode) {
  Observed o = cluster();
  o.provisioners = yaml(provisioner("a", ", labels: {custom: '1'}, ttlSecondsUntilExpired: 86400"));
  const json::value made = created(decide(o, schemas()), "NodeClaim");
  EXPECT_EQ(json::string_at(made, {"metadata", "annotations", "tenon.dev/instance"}), kId);
  EXPECT_EQ(json::string_at(made, {"metadata", "labels", "custom"}), "1");
  EXPECT_EQ(json::string_at(made, {"metadata", "labels", "kubernetes.io/hostname"}), "");
  EXPECT_EQ(json::string_at(made, {"metadata", "labels", "karpenter.sh/provisioner-name"}), "");
  EXPECT_EQ(json::string_at(made, {"spec", "expireAfter"}), "14h0m0s") << "the node is ten hours old";
  EXPECT_THAT(schemas().faults(made), IsEmpty());
}

TEST(Decide, AnOldNodeDoesNotExpireAtOnce) {
  Observed o = cluster();
  o.provisioners = yaml(provisioner("a", ", ttlSecondsUntilExpired: 7200"));
  const Plan plan = decide(o, schemas());
  EXPECT_EQ(json::string_at(created(plan, "NodeClaim"), {"spec", "expireAfter"}), "1h0m0s");
  EXPECT_THAT(plan.findings, Contains(HasSubstr("Node/n1: expires within an hour after the conversion")));
}

TEST(Decide, ImagesAreThoseThatTheControllerChose) {
  const json::value terms = created(decide(cluster(), schemas()), "EC2NodeClass").at("spec").at("amiSelectorTerms");
  EXPECT_EQ(json::to_string(terms), R"([{"alias":"al2023@latest"}])") << "EKS has no AL2 for Kubernetes 1.34";
}

TEST(Decide, AnInlineProviderIsAClassOfItsProvisioner) {
  Observed o = cluster();
  o.templates.clear();
  o.provisioners = yaml(
      "{apiVersion: karpenter.sh/v1alpha5, kind: Provisioner, metadata: {name: a}, spec: {provider: {subnetSelector: "
      "{a: "
      "b}, securityGroupSelector: {a: b}, instanceProfile: nodes}}}");
  const json::value made = created(decide(o, schemas()), "EC2NodeClass");
  EXPECT_EQ(json::string_at(made, {"metadata", "name"}), "a");
  EXPECT_EQ(json::string_at(made, {"metadata", "annotations", "tenon.dev/converted-from"}), "Provisioner/a");
  EXPECT_EQ(json::to_string(made.at("spec").at("amiSelectorTerms")), R"([{"alias":"al2023@latest"}])");
}

TEST(Decide, AStatusOfAnotherControllerIsNoFault) {
  Observed o = cluster();
  json::ensure(o.templates[0], {"status", "unheardOf"}) = 1;
  EXPECT_THAT(decide(o, schemas()).refused, IsEmpty());
}

TEST(Decide, HashesOfV027AreLeftOut) {
  const json::value made = created(decide(cluster(), schemas()), "EC2NodeClass");
  EXPECT_EQ(json::to_string(made.at("metadata").at("annotations")),
            R"({"tenon.dev/converted-from":"AWSNodeTemplate/t"})");
}

// What was created before an interruption is not created again, although the names depend on all Provisioners: two of
// them differ in the kubelet's configuration and need two classes.
TEST(Decide, ProvisionersThatAreGoneChangeNoNames) {
  Observed o = cluster();
  o.provisioners = yaml(provisioner("a") + provisioner("b", ", kubeletConfiguration: {maxPods: 9}"));
  for (const Write& write : decide(o, schemas()).writes) {
    if (write.type == kube::ResourceType{"karpenter.sh", "v1", "nodepools", "NodePool", false})
      o.pools.push_back(write.body);
    if (write.type.kind == "EC2NodeClass") o.classes.push_back(write.body);
  }
  ASSERT_EQ(o.classes.size(), 2u);
  o.nodes.clear();
  o.provisioners.erase(o.provisioners.begin());
  EXPECT_THAT(lines(decide(o, schemas())), ElementsAre("delete Provisioner b", "delete AWSNodeTemplate t"));
}

// Its NodePool has another class since: the controller replaces the node, a later run does not touch it.
TEST(Decide, ANodeThatHasMovedKeepsItsNodeClaim) {
  Observed o = cluster();
  for (const Write& write : decide(o, schemas()).writes) {
    if (write.type.kind == "NodePool") o.pools.push_back(write.body);
    if (write.type.kind == "EC2NodeClass") o.classes.push_back(write.body);
    if (write.type.kind == "NodeClaim" && write.verb == Verb::kCreate) o.claims.push_back(write.body);
    if (write.verb == Verb::kPatchStatus) o.claims.at(0).as_object()["status"] = write.body.at("status");
  }
  json::ensure(o.pools[0], {"spec", "template", "spec", "nodeClassRef", "name"}) = "later";
  const std::vector<std::string> all = lines(decide(o, schemas()));
  ASSERT_EQ(all.size(), 4u) << "the Node, the tags, and the end of the originals";
  EXPECT_THAT(all[0], HasSubstr("patch Node n1: metadata.labels[karpenter.k8s.aws/ec2nodeclass]: \"t\""));
  EXPECT_THAT(all[1], HasSubstr("karpenter.k8s.aws/ec2nodeclass=t"));
}

struct Refusal {
  std::string name;
  std::function<void(Observed&)> change;
  std::string text;
};
void PrintTo(const Refusal& refusal, std::ostream* out) { *out << refusal.name; }

class Refusals : public testing::TestWithParam<Refusal> {};

TEST_P(Refusals, WriteNothing) {
  Observed o = cluster();
  GetParam().change(o);
  const Plan plan = decide(o, schemas());
  EXPECT_THAT(plan.refused, Contains(HasSubstr(GetParam().text)));
  EXPECT_THAT(lines(plan), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    All, Refusals,
    testing::ValuesIn(std::vector<Refusal>{
        {"launching",
         [](Observed& o) {
           o.claims = yaml(claim());
           o.nodes.clear();
         },
         "NodeClaim/a-x: has no Node yet"},
        {"registering", [](Observed& o) { o.claims = yaml(claim("", "Unknown")); },
         "NodeClaim/a-x: is not registered yet"},
        {"ending_claim", [](Observed& o) { o.claims = yaml(claim(", deletionTimestamp: '2026-09-01T12:00:00Z'")); },
         "NodeClaim/a-x: is being deleted"},
        {"foreign_finalizer",
         [](Observed& o) {
           o.claims = yaml(claim());
           o.claims[0].at("metadata").at("finalizers").as_array().emplace_back("example.com/backup");
         },
         "NodeClaim/a-x: has the finalizer example.com/backup of another controller"},
        {"ending_node",
         [](Observed& o) { json::ensure(o.nodes[0], {"metadata", "deletionTimestamp"}) = "2026-09-01T12:00:00Z"; },
         "Node/n1: is being deleted"},
        {"ended_instance", [](Observed& o) { o.instances.clear(); }, "Node/n1: its instance does not run"},
        {"twice", [](Observed& o) { o.nodes.push_back(o.nodes[0]); }, "Node/n1: has the provider id of another Node"},
        {"no_provider_id", [](Observed& o) { json::erase(o.nodes[0], {"spec", "providerID"}); },
         "Node/n1: has no provider id yet"},
        {"no_cluster_name", [](Observed& o) { o.cluster_name.clear(); }, "set --cluster-name"},
        {"other_cluster_name", [](Observed& o) { o.cluster_name = "other"; },
         "Node/n1: its instance aws:///us-east-1a/i-0a has no tag kubernetes.io/cluster/other"},
        {"machines",
         [](Observed& o) {
           o.machines = yaml("{apiVersion: karpenter.sh/v1alpha5, kind: Machine, metadata: {name: m}}");
         },
         "Machine/m: Machines of Karpenter 0.28 to 0.31 are not converted"},
        {"no_profile", [](Observed& o) { json::erase(o.templates[0], {"spec", "instanceProfile"}); },
         "AWSNodeTemplate/t: has no instance profile"},
        {"launch_template",
         [](Observed& o) {
           o.templates = yaml(
               "{apiVersion: karpenter.k8s.aws/v1alpha1, kind: AWSNodeTemplate, metadata: {name: t}, spec: "
               "{subnetSelector: {a: b}, launchTemplate: mine}}");
         },
         "AWSNodeTemplate/t: spec.launchTemplate"},
        {"no_template", [](Observed& o) { o.templates.clear(); },
         "Provisioner/a: spec.providerRef: there is no such AWSNodeTemplate"},
        {"unknown_field", [](Observed& o) { o.provisioners = yaml(provisioner("a", ", wieght: 3")); },
         "Provisioner/a: spec.wieght: unknown field"},
    }),
    [](const auto& param) { return param.param.name; });

TEST(Decide, NodesOfOtherOwnersStay) {
  Observed o = cluster();
  o.nodes[0].at("metadata").at("labels").as_object()["karpenter.sh/provisioner-name"] = "unknown";
  const Plan plan = decide(o, schemas());
  EXPECT_THAT(plan.findings, Contains("Node/n1: stays as it is: there is no Provisioner unknown"));
  EXPECT_THAT(lines(plan), Not(Contains(HasSubstr("Node n1"))));
}

TEST(Decide, PodsThatRelyOnV027AreNamed) {
  Observed o = cluster();
  o.pods = yaml(R"(
apiVersion: v1
kind: Pod
metadata: {name: one, namespace: x, annotations: {karpenter.sh/do-not-evict: "true"}}
spec: {nodeSelector: {karpenter.sh/provisioner-name: a}}
)");
  const Plan plan = decide(o, schemas());
  EXPECT_THAT(plan.findings, Contains(HasSubstr("use karpenter.sh/nodepool in their workloads: x/one")));
  EXPECT_THAT(plan.findings, Contains(HasSubstr("do-not-evict, which v1 ignores")));
}

TEST(Decide, ANodeThatIsNotOfItsPoolIsNamed) {
  Observed o = cluster();
  o.provisioners = yaml(
      provisioner("a", ", requirements: [{key: node.kubernetes.io/instance-type, operator: In, values: [c5.large]}]"));
  EXPECT_THAT(decide(o, schemas()).findings,
              Contains(HasSubstr("Node/n1: does not fulfil the requirements of NodePool a")));
}

TEST(Originals, SurviveTheFile) {
  Observed o = cluster();
  o.claims = yaml(claim());
  Originals originals{.cluster = "k", .objects = {}, .instances = {}};
  add_originals(o, originals);
  const auto read = read_originals(write_originals(originals));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->cluster, "k");
  EXPECT_EQ(read->instances, originals.instances);
  ASSERT_EQ(read->objects.size(), 4u);
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(json::to_string(read->objects[i]), json::to_string(originals.objects[i]));
}

TEST(Originals, AreNotReplaced) {
  Originals originals;
  add_originals(cluster(), originals);
  Observed later = cluster();
  json::ensure(later.nodes[0], {"metadata", "labels", "custom"}) = "2";
  later.instances[kId].tags["team"] = "b";
  add_originals(later, originals);
  ASSERT_EQ(originals.objects.size(), 3u);
  EXPECT_EQ(json::string_at(originals.objects[2], {"metadata", "labels", "custom"}), "1");
  EXPECT_EQ(originals.instances.at("i-0a").at("team"), "a");
}

TEST(Originals, NamesWhatIsWrongInAFile) {
  EXPECT_THAT(read_originals("kind: Node").error().message, HasSubstr("is no roll-back file"));
  const std::string head = "apiVersion: tenon.dev/v1alpha1\nkind: ConversionRollback\n";
  EXPECT_EQ(read_originals(head + "instances: {i-1: {a: 1}}").error().message, "instances[i-1]: a is not a string");
  EXPECT_EQ(read_originals(head + "---\nkind: Node").error().message, "document 2: metadata.name: missing");
}

TEST(ClaimName, FitsIntoALabel) {
  EXPECT_EQ(claim_name("default", "i-0123456789abcdef0"), "default-0123456789abcdef0");
  EXPECT_EQ(claim_name(std::string(63, 'p'), "i-0123456789abcdef0").size(), 63u);
}

}  // namespace
}  // namespace tenon::migrate
