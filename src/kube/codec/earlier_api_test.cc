// SPDX-License-Identifier: Apache-2.0
#include "kube/codec/earlier_api.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/json.h"
#include "json/yaml.h"
#include "kube/codec/codec.h"
#include "model/labels.h"
#include "model/unreadable.h"

namespace tenon::kube::codec {
namespace {

using ::testing::HasSubstr;

json::value yaml(const std::string& text) { return json::parse_yaml(text)->front(); }

constexpr const char* kProvisioner = R"(
apiVersion: karpenter.sh/v1alpha5
kind: Provisioner
metadata: {name: default, uid: u1, generation: 3}
spec:
  requirements:
    - {key: karpenter.sh/capacity-type, operator: In, values: [spot]}
  labels: {team: a}
  limits: {resources: {cpu: 1000, nvidia.com/gpu: 10}}
  providerRef: {name: default}
  kubeletConfiguration: {maxPods: 20}
  ttlSecondsAfterEmpty: 30
  ttlSecondsUntilExpired: 3600
  weight: 7
status: {resources: {cpu: "8"}}
)";

TEST(EarlierApiTest, AProvisionerIsANodePoolWithADefaultedSpec) {
  std::string fault;
  const auto pool = decode_provisioner(yaml(kProvisioner), &fault);
  ASSERT_TRUE(pool);
  EXPECT_EQ(fault, "");
  EXPECT_EQ(pool->meta.name, "provisioner/default");
  EXPECT_EQ(pool->meta.uid, "u1");
  EXPECT_EQ(pool->meta.generation, 3);
  EXPECT_EQ(pool->node_template.node_class_ref.key(), "awsnodetemplate/default");
  EXPECT_EQ(pool->consolidation_policy, model::ConsolidationPolicy::kWhenEmpty);
  EXPECT_EQ(pool->consolidate_after, 30s);
  EXPECT_EQ(pool->node_template.expire_after, 1h);
  EXPECT_EQ(pool->weight, 7);
  EXPECT_EQ(pool->limits->get("nvidia.com/gpu"), 10);
  EXPECT_EQ(pool->resources.get(model::kCpu), 8000);
  ASSERT_TRUE(pool->kubelet);
  EXPECT_EQ(pool->kubelet->max_pods, 20);
  std::set<std::string> keys;
  for (const auto& spec : pool->node_template.requirements) keys.insert(spec.key);
  EXPECT_THAT(keys, ::testing::UnorderedElementsAre(model::kLabelCapacityType, model::kLabelArch, model::kLabelOs,
                                                    model::kLabelCategory, model::kLabelGeneration));
}

TEST(EarlierApiTest, WithoutTtlAndConsolidationNothingIsRemoved) {
  json::value document = yaml(kProvisioner);
  json::erase(document, {"spec", "ttlSecondsAfterEmpty"});
  json::erase(document, {"spec", "ttlSecondsUntilExpired"});
  const auto pool = decode_provisioner(document);
  ASSERT_TRUE(pool);
  EXPECT_EQ(pool->consolidate_after, std::nullopt);
  EXPECT_EQ(pool->node_template.expire_after, std::nullopt);
}

json::value with_provider(const std::string& provider) {
  json::value document = yaml(kProvisioner);
  json::erase(document, {"spec", "providerRef"});
  json::ensure(document, {"spec", "provider"}) = yaml(provider);
  return document;
}

// What the webhook would refuse is kept with the fault, so that it launches nothing and says why.
TEST(EarlierApiTest, AnInvalidProvisionerIsAFault) {
  json::value both = yaml(kProvisioner);
  json::ensure(both, {"spec", "consolidation", "enabled"}) = true;
  std::string fault;
  ASSERT_TRUE(decode_provisioner(both, &fault));
  EXPECT_THAT(fault,
              HasSubstr("expected exactly one, got both: spec.consolidation.enabled, spec.ttlSecondsAfterEmpty"));
  EXPECT_FALSE(decode_provisioner(both));

  json::value inlined = with_provider("{subnetSelector: {a: b}, securityGroupSelector: {a: b}}");
  json::ensure(inlined, {"spec", "providerRef", "name"}) = "default";
  fault.clear();
  ASSERT_TRUE(decode_provisioner(inlined, &fault));
  EXPECT_EQ(fault, "expected exactly one, got both: spec.provider, spec.providerRef");
}

TEST(EarlierApiTest, AnInlineProviderIsANodeClassOfTheProvisioner) {
  json::value document =
      with_provider("{subnetSelector: {a: b}, securityGroupSelector: {a: b}, instanceProfile: nodes, tags: {team: a}}");
  json::ensure(document, {"status", "provider"}) = yaml("{subnets: [{id: subnet-1, zone: us-east-1a}]}");
  std::string fault;
  const auto pool = decode_provisioner(document, &fault);
  ASSERT_TRUE(pool);
  EXPECT_EQ(fault, "");
  EXPECT_EQ(pool->node_template.node_class_ref, (model::NodeClassRef{"karpenter.sh", "Provisioner", "default"}));
  EXPECT_EQ(pool->node_template.node_class_ref.key(), "provisioner/default");
  EXPECT_EQ(json::parse(pool->inline_provider).value(), *json::find(document, {"spec", "provider"}));
  EXPECT_EQ(pool->resources.get(model::kCpu), 8000);

  const auto node_class = decode_inline_provider(document);
  ASSERT_TRUE(node_class);
  EXPECT_EQ(model::unreadable(*node_class), "");
  EXPECT_EQ(node_class->meta.name, "provisioner/default");
  EXPECT_EQ(node_class->meta.generation, 3);
  EXPECT_EQ(node_class->instance_profile, "nodes");
  EXPECT_EQ(node_class->subnets.front().id, "subnet-1");
  const json::value written = encode(*node_class);
  EXPECT_EQ(json::string_at(json::array_at(written, {"status", "provider", "subnets"})[0], {"id"}), "subnet-1");
  EXPECT_EQ(json::find(written, {"status", "subnets"}), nullptr);

  const auto none = decode_inline_provider(yaml(kProvisioner));
  ASSERT_TRUE(none);
  EXPECT_EQ(none->meta.name, "");
}

// The text names the field as v0.27's webhook did. The pool reports it; the class is only marked.
TEST(EarlierApiTest, AnInvalidInlineProviderIsAFault) {
  const std::pair<const char*, const char*> rows[] = {
      {"{securityGroupSelector: {a: b}}", "missing field(s): spec.provider.subnetSelector"},
      {"{subnetSelector: {a: b}}", "missing field(s): spec.provider.securityGroupSelector"},
      {"{subnetSelector: {a: b}, securityGroupSelector: {a: b}, subnets: [x]}",
       "json: unknown field \"subnets\": spec.provider"},
      {"{subnetSelector: {a: b}, launchTemplate: mine, userData: x}",
       "expected exactly one, got both: spec.provider.launchTemplate, spec.provider.userData"},
  };
  for (const auto& [provider, problem] : rows) {
    std::string fault, unreported;
    ASSERT_TRUE(decode_provisioner(with_provider(provider), &fault));
    EXPECT_EQ(fault, problem);
    const auto node_class = decode_inline_provider(with_provider(provider), &unreported);
    ASSERT_TRUE(node_class) << provider;
    EXPECT_EQ(model::unreadable(*node_class), problem);
    EXPECT_EQ(unreported, "");
  }
}

TEST(EarlierApiTest, ANodeTemplateIsANodeClassWithoutARole) {
  std::string fault;
  const auto plain = decode_node_template(yaml(R"(
metadata: {name: default, uid: u2}
spec:
  subnetSelector: {karpenter.sh/discovery: demo}
  securityGroupSelector: {aws-ids: "sg-1,sg-2"}
status: {subnets: [{id: subnet-1, zone: us-east-1a}]}
)"),
                                          &fault);
  ASSERT_TRUE(plain);
  EXPECT_EQ(fault, "");
  EXPECT_EQ(plain->meta.name, "awsnodetemplate/default");
  EXPECT_EQ(plain->role, "");
  EXPECT_EQ(plain->instance_profile, "");
  EXPECT_TRUE(plain->ami_selector_terms.empty());  // the cluster's version decides
  ASSERT_EQ(plain->security_group_selector_terms.size(), 2u);
  EXPECT_EQ(plain->security_group_selector_terms[1].id, "sg-2");
  EXPECT_EQ(plain->metadata_options->http_put_response_hop_limit, 2);
  EXPECT_EQ(plain->subnets.front().id, "subnet-1");

  const auto with_template = decode_node_template(yaml(R"(
metadata: {name: default}
spec: {subnetSelector: {a: b}, launchTemplate: mine}
)"),
                                                  &fault);
  ASSERT_TRUE(with_template);
  EXPECT_EQ(fault, "");
  EXPECT_EQ(with_template->launch_template, "mine");
  EXPECT_EQ(with_template->ami_family, "AL2");  // for the capacity of its nodes
  EXPECT_TRUE(with_template->ami_selector_terms.empty());
}

TEST(EarlierApiTest, UbuntuWithoutASelectorHasItsPublishedImages) {
  const auto ubuntu = decode_node_template(
      yaml("{metadata: {name: a}, spec: {amiFamily: Ubuntu, subnetSelector: {a: b}, securityGroupSelector: {a: b}}}"));
  ASSERT_TRUE(ubuntu) << ubuntu.error().message;
  EXPECT_EQ(ubuntu->ami_family, "Ubuntu");
  EXPECT_TRUE(ubuntu->ami_selector_terms.empty());
  ASSERT_EQ(ubuntu->block_devices.size(), 1u);
  EXPECT_EQ(ubuntu->block_devices[0].device_name, "/dev/sda1");
}

TEST(EarlierApiTest, GlobalSettings) {
  std::string fault;
  const auto settings = decode_global_settings(yaml(R"(
metadata: {name: karpenter-global-settings, namespace: karpenter}
data:
  aws.defaultInstanceProfile: nodes
  aws.tags: '{"team": "a"}'
  featureGates.driftEnabled: "true"
)"),
                                               &fault);
  ASSERT_TRUE(settings);
  EXPECT_EQ(fault, "");
  EXPECT_EQ(settings->default_instance_profile, "nodes");
  EXPECT_EQ(settings->tags, (model::StringMap{{"team", "a"}}));
  EXPECT_TRUE(settings->drift);

  EXPECT_FALSE(decode_global_settings(yaml("{metadata: {name: a}, data: {aws.tags: 'team=a'}}")));
  EXPECT_FALSE(decode_global_settings(yaml("{metadata: {name: a}, data: {featureGates.driftEnabled: 'on'}}")));
}

TEST(EarlierApiTest, GlobalSettingsOfTheProcess) {
  const auto settings = decode_global_settings(yaml(R"(
metadata: {name: karpenter-global-settings, namespace: karpenter}
data:
  aws.clusterName: demo
  aws.isolatedVPC: "true"
  aws.vmMemoryOverheadPercent: "0.05"
  batchIdleDuration: 2s
  aws.enablePodENI: "true"
  aws.enableENILimitedPodDensity: "false"
  aws.nodeNameConvention: resource-name
)"));
  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_EQ(settings->cluster_name, "demo");
  EXPECT_EQ(settings->isolated_vpc, true);
  EXPECT_EQ(settings->vm_memory_overhead_percent, 0.05);
  EXPECT_EQ(settings->batch_idle, Duration(2s));
  EXPECT_EQ(settings->batch_max, std::nullopt);
  EXPECT_TRUE(settings->pod_eni);
  EXPECT_FALSE(settings->eni_limited_pods);
  const auto by_default = decode_global_settings(yaml("{metadata: {name: a}, data: {}}"));
  ASSERT_TRUE(by_default);
  EXPECT_FALSE(by_default->pod_eni);
  EXPECT_TRUE(by_default->eni_limited_pods);

  const std::pair<const char*, const char*> refused[] = {{"batchMaxDuration: ''", "is required"},
                                                         {"batchMaxDuration: '-1s'", "cannot be negative"},
                                                         {"batchMaxDuration: '0s'", "cannot be negative"},
                                                         {"batchIdleDuration: soon", "is not a duration"},
                                                         {"aws.isolatedVPC: maybe", "aws.isolatedVPC"},
                                                         {"aws.vmMemoryOverheadPercent: much", "is not a number"},
                                                         {"aws.enablePodENI: maybe", "maybe"},
                                                         {"aws.enableENILimitedPodDensity: often", "often"},
                                                         {"aws.nodeNameConvention: name", "name"}};
  for (const auto& [data, problem] : refused) {
    const auto done = decode_global_settings(yaml("{metadata: {name: a}, data: {" + std::string(data) + "}}"));
    ASSERT_FALSE(done) << data;
    EXPECT_THAT(done.error().message, HasSubstr(problem));
    EXPECT_THAT(done.error().message, HasSubstr(std::string(data).substr(0, std::string(data).find(':'))));
  }
}

}  // namespace
}  // namespace tenon::kube::codec
