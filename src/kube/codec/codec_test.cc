// Nodes, pools, claims, classes and storage; pods are in pod_test.cc.
// SPDX-License-Identifier: Apache-2.0
#include "kube/codec/codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/json.h"
#include "json/patch.h"
#include "json/yaml.h"

namespace tenon::kube::codec {
namespace {

using testing::HasSubstr;

json::value yaml(std::string_view text) {
  auto documents = json::parse_yaml(text);
  EXPECT_TRUE(documents) << documents.error().message << "\n" << text;
  return documents ? documents->at(0) : json::value();
}

template <class T>
std::string error_of(Result<T> (*decode)(const json::value&, std::string*), std::string_view text) {
  const auto decoded = decode(yaml(text), nullptr);
  return decoded ? "no error" : decoded.error().message;
}

constexpr std::string_view kClaim = R"(
apiVersion: karpenter.sh/v1
kind: NodeClaim
metadata:
  name: default-x7x2k
  uid: c-1
  resourceVersion: "17"
  generation: 1
  creationTimestamp: "2026-09-01T12:00:00Z"
  labels: {karpenter.sh/nodepool: default}
  annotations: {karpenter.sh/nodepool-hash: "42"}
  finalizers: [karpenter.sh/termination]
  ownerReferences: [{apiVersion: karpenter.sh/v1, kind: NodePool, name: default, uid: p-1, blockOwnerDeletion: true}]
spec:
  nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
  requirements:
  - {key: node.kubernetes.io/instance-type, operator: In, values: [m5.large, c5.large], minValues: 2}
  - {key: karpenter.k8s.aws/instance-cpu, operator: Gte, values: ["2"]}
  resources: {requests: {cpu: 1150m, memory: 128Mi, pods: "3"}}
  taints: [{key: a, value: b, effect: NoSchedule}]
  startupTaints: [{key: s, effect: NoExecute}]
  expireAfter: 720h0m0s
  terminationGracePeriod: 5m0s
status:
  providerID: aws:///us-east-1a/i-1
  nodeName: ip-10-0-0-1
  imageID: ami-1
  capacity: {cpu: "2", memory: 7577Mi, pods: "29"}
  allocatable: {cpu: 1930m, memory: 6903Mi, pods: "29"}
  conditions:
  - type: Launched
    status: "True"
    reason: Launched
    message: ""
    lastTransitionTime: "2026-09-01T12:00:05Z"
    observedGeneration: 1
  lastPodEventTime: "2026-09-01T12:01:00Z"
)";

TEST(NodeClaimCodec, DecodesAndEncodesToTheSame) {
  const json::value document = yaml(kClaim);
  const auto claim = decode_node_claim(document);
  ASSERT_TRUE(claim) << claim.error().message;
  EXPECT_EQ(claim->pool(), "default");
  EXPECT_EQ(claim->requirements.at(0).min_values, 2);
  EXPECT_EQ(claim->requests.get(model::kCpu), 1150);
  EXPECT_EQ(claim->expire_after, Duration(720h));
  EXPECT_TRUE(claim->is(model::kLaunched));
  EXPECT_EQ(encode(*claim), document) << json::to_pretty(encode(*claim));
  EXPECT_EQ(*decode_node_claim(encode(*claim)), *claim);
}

TEST(NodeClaimCodec, NeverAndDefaults) {
  const auto bare = decode_node_claim(yaml("metadata: {generateName: default-}\nspec: {requirements: []}"));
  ASSERT_TRUE(bare);
  EXPECT_EQ(bare->expire_after, Duration(720h));
  const auto never = decode_node_claim(yaml("metadata: {name: c}\nspec: {expireAfter: Never}"));
  ASSERT_TRUE(never);
  EXPECT_EQ(never->expire_after, std::nullopt);
  EXPECT_EQ(json::string_at(encode(*never), {"spec", "expireAfter"}), "Never");
  EXPECT_EQ(json::find(encode(*bare), {"status"}), nullptr);
}

TEST(NodePoolCodec, DefaultsAreTheCrds) {
  const auto pool = decode_node_pool(yaml("metadata: {name: default}\nspec: {template: {spec: {requirements: []}}}"));
  ASSERT_TRUE(pool) << pool.error().message;
  EXPECT_EQ(pool->consolidation_policy, model::ConsolidationPolicy::kWhenEmptyOrUnderutilized);
  EXPECT_EQ(pool->consolidate_after, Duration(0));
  EXPECT_EQ(pool->budgets, std::vector<model::Budget>{model::Budget{}});
  EXPECT_EQ(pool->node_template.expire_after, Duration(720h));
  EXPECT_FALSE(pool->limits);
  EXPECT_EQ(pool->weight, 0);
}

TEST(NodePoolCodec, ReadsEveryField) {
  const auto pool = decode_node_pool(yaml(R"(
metadata: {name: default, generation: 3}
spec:
  weight: 10
  replicas: 2
  limits: {cpu: "100", memory: 1000Gi, nodes: 5}
  template:
    metadata: {labels: {team: a}, annotations: {x: z}}
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements: [{key: karpenter.sh/capacity-type, operator: In, values: [spot]}]
      taints: [{key: t, effect: NoExecute}]
      expireAfter: Never
      terminationGracePeriod: 48h
  disruption:
    consolidationPolicy: WhenEmpty
    consolidateAfter: 30s
    budgets:
    - {nodes: 20%, reasons: [Drifted]}
    - {nodes: 3, schedule: "@daily", duration: 10m}
    - {nodes: "0", reasons: []}
status:
  resources: {cpu: "4", nodes: "2"}
  conditions: [{type: Ready, status: "True", reason: Ready, message: "", lastTransitionTime: "2026-09-01T12:00:00Z"}]
)"));
  ASSERT_TRUE(pool) << pool.error().message;
  EXPECT_EQ(pool->consolidation_policy, model::ConsolidationPolicy::kWhenEmpty);
  EXPECT_EQ(pool->consolidate_after, Duration(30s));
  ASSERT_EQ(pool->budgets.size(), 2u);  // an empty list of reasons applies to none
  EXPECT_EQ(pool->budgets[0].reasons, std::vector<std::string>{"Drifted"});
  EXPECT_EQ(pool->budgets[1].nodes, "3");
  EXPECT_EQ(pool->budgets[1].duration, Duration(10min));
  EXPECT_EQ(pool->limits->get(model::kCpu), 100'000);
  EXPECT_EQ(pool->limits->get("nodes"), 5);
  EXPECT_EQ(pool->replicas, 2);
  EXPECT_EQ(pool->node_template.expire_after, std::nullopt);
  EXPECT_EQ(pool->node_template.termination_grace_period, Duration(48h));
  EXPECT_TRUE(pool->ready());
  EXPECT_EQ(json::int_at(encode(*pool), {"status", "nodes"}), 2);
}

TEST(NodePoolCodec, NoBudgetsIsNotTheDefaultBudget) {
  const auto pool =
      decode_node_pool(yaml("metadata: {name: a}\nspec: {disruption: {budgets: [], consolidateAfter: Never}}"));
  ASSERT_TRUE(pool);
  EXPECT_TRUE(pool->budgets.empty());
  EXPECT_EQ(pool->consolidate_after, std::nullopt);
}

TEST(NodePoolCodec, WrongFieldsAreNamed) {
  EXPECT_EQ(error_of(decode_node_pool, "spec: {disruption: {consolidationPolicy: Sometimes}}"),
            "spec.disruption.consolidationPolicy: must be one of WhenEmpty, WhenEmptyOrUnderutilized, Balanced, not "
            "\"Sometimes\"");
  EXPECT_EQ(error_of(decode_node_pool, "spec: {disruption: {consolidateAfter: 5 days}}"),
            "spec.disruption.consolidateAfter: must be a duration such as 1h30m, not \"5 days\"");
  EXPECT_THAT(error_of(decode_node_pool, "spec: {limits: {cpu: many}}"),
              HasSubstr("spec.limits.cpu: \"many\" is not a quantity"));
  EXPECT_THAT(error_of(decode_node_pool, "spec: {template: {spec: {requirements: [{key: a, operator: Like}]}}}"),
              HasSubstr("spec.template.spec.requirements[0].operator: must be one of In, NotIn, Exists"));
  EXPECT_THAT(error_of(decode_node_pool, "spec: {template: {spec: {taints: [{key: a, effect: Never}]}}}"),
              HasSubstr("spec.template.spec.taints[0].effect: must be one of NoSchedule"));
}

TEST(NodeCodec, DecodesAndEncodesWhatWeWrite) {
  const auto node = decode_node(yaml(R"(
metadata: {name: n1, labels: {a: b}, finalizers: [karpenter.sh/termination]}
spec:
  providerID: aws:///us-east-1a/i-1
  unschedulable: true
  taints: [{key: k, effect: NoSchedule, timeAdded: "2026-09-01T12:00:00Z"}]
status:
  capacity: {cpu: "2", memory: 3167538380800m}
  allocatable: {cpu: 1930m}
  conditions: [{type: Ready, status: "True", lastTransitionTime: "2026-09-01T12:00:00Z"}]
)"));
  ASSERT_TRUE(node) << node.error().message;
  EXPECT_TRUE(node->ready());
  EXPECT_EQ(node->capacity.get(model::kMemory), 3167538380);
  EXPECT_EQ(
      json::to_string(encode(*node)),
      R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n1","labels":{"a":"b"},)"
      R"("finalizers":["karpenter.sh/termination"]},"spec":{"providerID":"aws:///us-east-1a/i-1",)"
      R"("unschedulable":true,"taints":[{"key":"k","effect":"NoSchedule","timeAdded":"2026-09-01T12:00:00Z"}]}})");
}

TEST(NodeClassCodec, DecodesSpecAndStatusAndEncodesStatus) {
  const auto node_class = decode_node_class(yaml(R"(
metadata: {name: default}
spec:
  amiFamily: AL2023
  amiSelectorTerms: [{alias: al2023@latest}]
  subnetSelectorTerms: [{tags: {Name: "*"}}, {id: subnet-1}]
  securityGroupSelectorTerms: [{name: sg}]
  role: node
  tags: {a: b}
  associatePublicIPAddress: false
  blockDeviceMappings:
  - {deviceName: /dev/xvda, rootVolume: true, ebs: {volumeSize: 20Gi, volumeType: gp3, iops: 3000, encrypted: true}}
  kubelet: {maxPods: 20, kubeReserved: {cpu: 100m}, evictionHard: {memory.available: 5%}, clusterDNS: [10.0.0.10]}
  metadataOptions: {httpTokens: optional}
status:
  subnets: [{id: subnet-1, zone: us-east-1a, zoneID: use1-az1}]
  securityGroups: [{id: sg-1, name: sg}]
  amis: [{id: ami-1, name: al2023, requirements: [{key: kubernetes.io/arch, operator: In, values: [amd64]}]}]
  instanceProfile: profile
  conditions: [{type: Ready, status: "True", reason: Ready, message: "", lastTransitionTime: "2026-09-01T12:00:00Z"}]
)"));
  ASSERT_TRUE(node_class) << node_class.error().message;
  EXPECT_EQ(node_class->ami_selector_terms.at(0).alias, "al2023@latest");
  EXPECT_EQ(node_class->subnet_selector_terms.at(0).tags.at("Name"), "*");
  EXPECT_EQ(node_class->associate_public_ip, false);
  EXPECT_EQ(node_class->block_devices.at(0).volume_size->ceil_units(), 20LL << 30);
  EXPECT_EQ(node_class->kubelet.max_pods, 20);
  EXPECT_EQ(node_class->kubelet.eviction_hard.at("memory.available"), "5%");
  EXPECT_EQ(node_class->metadata_options->http_tokens, "optional");
  EXPECT_EQ(node_class->metadata_options->http_put_response_hop_limit, 1);
  EXPECT_TRUE(node_class->ready());
  const auto again = decode_node_class(encode(*node_class));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->subnets, node_class->subnets);
  EXPECT_EQ(again->security_groups, node_class->security_groups);
  EXPECT_EQ(again->amis, node_class->amis);
  EXPECT_EQ(again->resolved_instance_profile, "profile");
  EXPECT_EQ(again->conditions, node_class->conditions);
}

TEST(StorageCodecs, ReadWhatBindsAPod) {
  const auto claim = decode_volume_claim(yaml("metadata: {name: c}\nspec: {storageClassName: gp3, volumeName: pv1}"));
  EXPECT_EQ(claim->volume_name, "pv1");
  const auto volume = decode_volume(
      yaml("metadata: {name: v}\nspec: {csi: {driver: ebs.csi.aws.com}, nodeAffinity: {required: {nodeSelectorTerms: "
           "[{matchExpressions: [{key: topology.kubernetes.io/zone, operator: In, values: [us-east-1a]}]}]}}}"));
  EXPECT_EQ(volume->csi_driver, "ebs.csi.aws.com");
  EXPECT_EQ(volume->required_node_terms.at(0).match_expressions.at(0).values.at(0), "us-east-1a");
  EXPECT_EQ(decode_volume(yaml("spec: {awsElasticBlockStore: {volumeID: v}}"))->csi_driver, "ebs.csi.aws.com");
  EXPECT_TRUE(decode_volume(yaml("spec: {hostPath: {path: /}}"))->local);
  const auto storage = decode_storage_class(
      yaml("metadata: {name: s}\nprovisioner: kubernetes.io/aws-ebs\nvolumeBindingMode: WaitForFirstConsumer\n"
           "allowedTopologies: [{matchLabelExpressions: [{key: z, values: [a, b]}]}]"));
  EXPECT_EQ(storage->provisioner, "ebs.csi.aws.com");
  EXPECT_TRUE(storage->wait_for_first_consumer);
  EXPECT_EQ(storage->allowed_topologies.at(0).match_expressions.at(0).values.size(), 2u);
  EXPECT_FALSE(decode_storage_class(yaml("provisioner: x"))->wait_for_first_consumer);
  const auto csi = decode_csi_node(yaml("spec: {drivers: [{name: d, allocatable: {count: 25}}, {name: e}]}"));
  EXPECT_EQ(csi->driver_limits, (std::vector<std::pair<std::string, int>>{{"d", 25}}));
  const auto attachment = decode_volume_attachment(yaml("spec: {nodeName: n1, source: {persistentVolumeName: pv1}}"));
  EXPECT_EQ(attachment->volume_name, "pv1");
  EXPECT_EQ(decode_metadata(yaml("metadata: {name: ns, labels: {a: b}}"))->labels.at("a"), "b");
}

// Only sizes are read of its status, and conditions on request.
model::NodeClaim sized(model::NodeClaim claim, bool conditions) {
  for (std::string* text : {&claim.provider_id, &claim.node_name, &claim.image_id}) text->clear();
  claim.last_pod_event_at = std::nullopt;
  if (!conditions) claim.conditions.clear();
  return claim;
}

// Fields that encode() leaves out beside another one are no part of the changes, in either direction.
TEST(Codec, APatchSaysTheSameOfWhatWasLeftOut) {
  using model::NodeClaim;
  std::vector<NodeClaim> claims{*decode_node_claim(yaml(kClaim))};
  for (void (*change)(NodeClaim&) : std::initializer_list<void (*)(NodeClaim&)>{
           [](NodeClaim& c) { c.meta.labels["new"] = "1"; }, [](NodeClaim& c) { c.meta.labels.clear(); },
           [](NodeClaim& c) { c.meta.annotations["new"] = "1"; }, [](NodeClaim& c) { c.meta.finalizers.clear(); },
           [](NodeClaim& c) { c.expire_after = std::nullopt; },
           [](NodeClaim& c) { c.taints.push_back({"new", "", "NoSchedule"}); },
           [](NodeClaim& c) { c.conditions.clear(); }, [](NodeClaim& c) { c.capacity.set("cpu", 1000); },
           [](NodeClaim& c) { c.allocatable = {}; }, [](NodeClaim& c) { c = sized(c, true); },
           [](NodeClaim& c) { c = sized(c, false); }, [](NodeClaim& c) { c.last_pod_event_at = Instant(1s); }}) {
    claims.push_back(claims.front());
    change(claims.back());
  }
  for (const NodeClaim& before : claims) {
    for (const NodeClaim& after : claims) {
      EXPECT_EQ(json::make_merge_patch(encode(before, &after), encode(after, &before)),
                json::make_merge_patch(encode(before), encode(after)));
    }
  }
}

}  // namespace
}  // namespace tenon::kube::codec
