// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "json/json.h"
#include "json/yaml.h"
#include "kube/codec/codec.h"

namespace tenon::kube::codec {
namespace {

// Each row: a v1beta1 spec, and the v1 spec as which it is read.
TEST(NodeClassV1beta1, IsReadAsV1) {
  const std::string hops = ", metadataOptions: {httpPutResponseHopLimit: 2}}";
  const std::pair<std::string, std::string> rows[] = {
      {"{amiFamily: AL2023}", "{amiFamily: AL2023, amiSelectorTerms: [{alias: al2023@latest}]" + hops},
      {"{amiFamily: Windows2022, amiSelectorTerms: []}",
       "{amiFamily: Windows2022, amiSelectorTerms: [{alias: windows2022@latest}]" + hops},
      {"{amiFamily: Bottlerocket, amiSelectorTerms: [{id: ami-1}]}",
       "{amiFamily: Bottlerocket, amiSelectorTerms: [{id: ami-1}]" + hops},
      {"{amiFamily: Custom}", "{amiFamily: Custom" + hops},
      {"{amiFamily: Ubuntu}",
       "{amiFamily: AL2, amiSelectorTerms: [{id: ami-placeholder}], blockDeviceMappings: [{deviceName: /dev/sda1, "
       "rootVolume: true, ebs: {encrypted: true, volumeSize: 20Gi, volumeType: gp3}}]" +
           hops},
      {"{amiFamily: Ubuntu, amiSelectorTerms: [{id: ami-1}], blockDeviceMappings: [{deviceName: /dev/sdb}]}",
       "{amiFamily: AL2, amiSelectorTerms: [{id: ami-1}], blockDeviceMappings: [{deviceName: /dev/sdb}]" + hops},
      {"{amiFamily: AL2, amiSelectorTerms: [{id: ami-1}], metadataOptions: {httpPutResponseHopLimit: 5}}",
       "{amiFamily: AL2, amiSelectorTerms: [{id: ami-1}], metadataOptions: {httpPutResponseHopLimit: 5}}"},
  };
  for (const auto& [old_spec, new_spec] : rows) {
    const auto document = [](const std::string& version, const std::string& spec) {
      return json::parse_yaml("apiVersion: karpenter.k8s.aws/" + version +
                              "\nkind: EC2NodeClass\nmetadata: {name: x}\nspec: " + spec + "\n")
          ->front();
    };
    const auto old_class = decode_node_class(document("v1beta1", old_spec));
    const auto new_class = decode_node_class(document("v1", new_spec));
    ASSERT_TRUE(old_class) << old_spec << ": " << old_class.error().message;
    ASSERT_TRUE(new_class) << new_spec << ": " << new_class.error().message;
    EXPECT_EQ(*old_class, *new_class) << old_spec;
    const bool published = old_spec == "{amiFamily: Ubuntu}";
    EXPECT_EQ(old_class->ami_family == "Ubuntu", published) << old_spec;
    EXPECT_EQ(old_class->ami_selector_terms.empty(), published || old_spec == "{amiFamily: Custom}") << old_spec;
  }
  EXPECT_FALSE(decode_node_class(*json::parse(R"({"apiVersion":"karpenter.k8s.aws/v1beta1","spec":3})")));
}

}  // namespace
}  // namespace tenon::kube::codec
