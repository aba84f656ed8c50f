// SPDX-License-Identifier: Apache-2.0
#include "cloud/aws_provider/resources/ami_family.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catalog/catalog.h"
#include "cloud/aws_provider/resources/amis.h"
#include "model/labels.h"

namespace tenon::cloud {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> parameters(const std::string& alias, const std::string& version) {
  std::vector<std::string> names;
  const auto queries = alias_queries(*parse_alias(alias), version);
  if (!queries) return {queries.error().message};
  for (const AmiQuery& query : *queries) names.push_back(query.parameter);
  return names;
}

TEST(Alias, IsParsedOrRefused) {
  EXPECT_EQ(parse_alias("al2023@v20250101")->version, "v20250101");
  EXPECT_EQ(parse_alias("bottlerocket@latest")->family, AmiFamily::kBottlerocket);
  for (const char* bad : {"al2023", "@latest", "al2023@", "al2023@v1@x", "windows2022@10.0", "AL2@latest", ""}) {
    const auto alias = parse_alias(bad);
    ASSERT_FALSE(alias) << bad;
    EXPECT_THAT(alias.error().message, HasSubstr("'" + std::string(bad) + "'"));
  }
}

TEST(Alias, NamesThePublicParameters) {
  const std::string base = "/aws/service/eks/optimized-ami/1.34/amazon-linux-2023/";
  EXPECT_THAT(parameters("al2023@latest", "1.34"),
              ElementsAre(base + "x86_64/standard/recommended/image_id", base + "x86_64/nvidia/recommended/image_id",
                          base + "x86_64/neuron/recommended/image_id", base + "arm64/standard/recommended/image_id",
                          base + "arm64/nvidia/recommended/image_id"));
  EXPECT_EQ(parameters("al2023@v20260101", "1.34")[0],
            base + "x86_64/standard/amazon-eks-node-al2023-x86_64-standard-1.34-v20260101/image_id");
  EXPECT_THAT(
      parameters("al2@v20240101", "1.30"),
      ElementsAre("/aws/service/eks/optimized-ami/1.30/amazon-linux-2/amazon-eks-node-1.30-v20240101/image_id",
                  "/aws/service/eks/optimized-ami/1.30/amazon-linux-2-arm64/amazon-eks-arm64-node-1.30-v20240101/"
                  "image_id",
                  "/aws/service/eks/optimized-ami/1.30/amazon-linux-2-gpu/amazon-eks-gpu-node-1.30-v20240101/"
                  "image_id"));
  EXPECT_THAT(parameters("al2@latest", "1.33"), ElementsAre("AL2 images are not published for Kubernetes 1.33"));
  EXPECT_THAT(parameters("bottlerocket@v1.30.0", "1.34"),
              ElementsAre("/aws/service/bottlerocket/aws-k8s-1.34/x86_64/1.30.0/image_id",
                          "/aws/service/bottlerocket/aws-k8s-1.34/arm64/1.30.0/image_id",
                          "/aws/service/bottlerocket/aws-k8s-1.34-nvidia/x86_64/1.30.0/image_id",
                          "/aws/service/bottlerocket/aws-k8s-1.34-nvidia/arm64/1.30.0/image_id"));
}

TEST(Alias, WindowsHasOneParameterAYear) {
  for (const auto& [alias, year, build] :
       {std::tuple("windows2019@latest", "2019", "10.0.17763"), std::tuple("windows2022@latest", "2022", "10.0.20348"),
        std::tuple("windows2025@latest", "2025", "10.0.26100")}) {
    const auto queries = alias_queries(*parse_alias(alias), "1.35");
    ASSERT_TRUE(queries) << alias;
    ASSERT_EQ(queries->size(), 1u);
    EXPECT_EQ(queries->front().parameter, "/aws/service/ami-windows-latest/Windows_Server-" + std::string(year) +
                                              "-English-Core-EKS_Optimized-1.35/image_id");
    const auto requirements = variant_requirements(queries->front().variants.front());
    ASSERT_EQ(requirements.size(), 2u);
    EXPECT_THAT(requirements[0].values, ElementsAre("windows"));
    EXPECT_THAT(requirements[1].values, ElementsAre(build));
  }
  EXPECT_THAT(parameters("windows2025@latest", "1.34"),
              ElementsAre("Windows2025 images are not published for Kubernetes 1.34"));
}

TEST(Family, ComesFromTheSpecOrTheAlias) {
  model::NodeClass node_class;
  EXPECT_EQ(*family_of(node_class), AmiFamily::kCustom);
  node_class.ami_selector_terms = {{.alias = "al2@latest"}};
  EXPECT_EQ(*family_of(node_class), AmiFamily::kAl2);
  node_class.ami_family = "Custom";
  EXPECT_EQ(*family_of(node_class), AmiFamily::kCustom);
  node_class.ami_family = "Windows2022";
  EXPECT_EQ(*family_of(node_class), AmiFamily::kWindows2022);
  node_class.ami_family = "Ubuntu";
  EXPECT_EQ(*family_of(node_class), AmiFamily::kUbuntu);
  node_class.ami_family = "Flatcar";
  EXPECT_EQ(family_of(node_class).error().message, "spec.amiFamily: Flatcar is not supported");
}

TEST(BlockDevices, DefaultsAndConversions) {
  model::NodeClass node_class;
  EXPECT_THAT(block_devices(node_class, AmiFamily::kCustom), IsEmpty());
  const auto bottlerocket = block_devices(node_class, AmiFamily::kBottlerocket);
  ASSERT_EQ(bottlerocket.size(), 2u);
  EXPECT_EQ(bottlerocket[0].size_gib, 4);
  EXPECT_EQ(bottlerocket[1].device_name, "/dev/xvdb");
  EXPECT_EQ(block_devices(node_class, AmiFamily::kAl2023)[0].encrypted, true);
  const auto windows = block_devices(node_class, AmiFamily::kWindows2019);
  ASSERT_EQ(windows.size(), 1u);
  EXPECT_EQ(windows[0].device_name, "/dev/sda1");
  EXPECT_EQ(windows[0].size_gib, 50);
  model::BlockDevice disk;
  disk.device_name = "/dev/xvda";
  disk.volume_size = *model::parse_quantity("50G");
  disk.iops = 0;
  disk.throughput = 300;
  node_class.block_devices = {disk};
  const auto own = block_devices(node_class, AmiFamily::kAl2023);
  ASSERT_EQ(own.size(), 1u);
  EXPECT_EQ(own[0].size_gib, 47);  // 50e9 bytes, rounded up
  EXPECT_FALSE(own[0].iops);
  EXPECT_EQ(own[0].throughput, 300);
}

TEST(NodeSettings, FollowTheFamily) {
  model::NodeClass node_class;
  node_class.instance_store_policy = "RAID0";
  const auto al2023 = node_settings(node_class, AmiFamily::kAl2023, {.vm_memory_overhead = 0.05, .reserved_enis = 1});
  EXPECT_TRUE(al2023.kube_reserved_by_enis);
  EXPECT_TRUE(al2023.instance_store_raid0);
  EXPECT_EQ(al2023.reserved_enis, 1);
  EXPECT_EQ(al2023.root_volume_bytes, 20 * catalog::kBytesPerGib);
  const auto bottlerocket = node_settings(node_class, AmiFamily::kBottlerocket, {});
  EXPECT_FALSE(bottlerocket.kube_reserved_by_enis);
  EXPECT_FALSE(bottlerocket.pods_per_core);
  EXPECT_TRUE(bottlerocket.eni_limited_pods);
  const auto windows = node_settings({}, AmiFamily::kWindows2025, {});
  EXPECT_FALSE(windows.kube_reserved_by_enis);
  EXPECT_FALSE(windows.eni_limited_pods);
  EXPECT_TRUE(windows.pods_per_core);
  EXPECT_EQ(windows.windows_build, "10.0.26100");
  EXPECT_EQ(windows.root_volume_bytes, 50 * catalog::kBytesPerGib);
}

TEST(NodeSettings, FollowTheGlobalSettingsOfV027) {
  model::NodeClass node_class;
  EXPECT_TRUE(node_settings(node_class, AmiFamily::kAl2, {}).pod_eni);
  node_class.pod_eni = node_class.eni_limited_pods = false;
  const catalog::NodeSettings settings = node_settings(node_class, AmiFamily::kAl2, {});
  const auto capacity = catalog::capacity_of(*catalog::find_instance_type("m5.large"), settings);
  EXPECT_FALSE(capacity.has("vpc.amazonaws.com/pod-eni"));
  EXPECT_EQ(capacity.get(model::kPods), catalog::kPodsWithoutEniLimit);
}

TEST(NodeSettings, FindTheVolumeThatHoldsPods) {
  const auto device = [](const std::string& name, const std::string& size, bool root) {
    model::BlockDevice d;
    d.device_name = name;
    if (!size.empty()) d.volume_size = *model::parse_quantity(size);
    d.root_volume = root;
    return d;
  };
  struct Case {
    std::vector<model::BlockDevice> devices;
    AmiFamily family;
    int64_t gib;
  };
  const Case cases[] = {
      {{device("/dev/xvda", "100Gi", false)}, AmiFamily::kAl2023, 100},
      {{device("/dev/xvda", "4Gi", false), device("/dev/xvdb", "80Gi", false)}, AmiFamily::kBottlerocket, 80},
      {{device("/dev/xvda", "100Gi", false), device("/dev/sdb", "30Gi", true)}, AmiFamily::kAl2023, 30},
      {{device("/dev/sdb", "30Gi", false)}, AmiFamily::kAl2023, 20},
      {{device("/dev/sda", "30Gi", false), device("/dev/sdb", "40Gi", false)}, AmiFamily::kCustom, 40},
      {{device("/dev/xvda", "", false)}, AmiFamily::kAl2, 20},
      {{device("/dev/sda1", "70Gi", false)}, AmiFamily::kWindows2022, 70},
      {{device("/dev/xvda", "70Gi", false)}, AmiFamily::kWindows2022, 50},
  };
  for (const Case& c : cases) {
    model::NodeClass node_class;
    node_class.block_devices = c.devices;
    EXPECT_EQ(node_settings(node_class, c.family, {}).root_volume_bytes, c.gib * catalog::kBytesPerGib) << c.gib;
  }
}

aws::Image image(const std::string& id, const std::string& created, const std::string& deprecated = "") {
  aws::Image out;
  out.id = id;
  out.name = "name-" + id;
  out.created_at = *parse_rfc3339(created);
  out.deprecated_at = parse_rfc3339(deprecated);
  return out;
}

const std::vector<model::RequirementSpec> kAmd = {{"kubernetes.io/arch", model::Operator::kIn, {"amd64"}, {}}};
const std::vector<model::RequirementSpec> kArm = {{"kubernetes.io/arch", model::Operator::kIn, {"arm64"}, {}}};

TEST(PickAmis, KeepsTheBestOfEachKind) {
  const Instant now = *parse_rfc3339("2026-09-01T12:00:00Z");
  const auto amis = pick_amis({{image("old", "2026-01-01T00:00:00Z"), kAmd},
                               {image("new", "2026-08-01T00:00:00Z"), kAmd},
                               {image("newest-but-deprecated", "2026-08-20T00:00:00Z", "2026-08-30T00:00:00Z"), kAmd},
                               {image("arm", "2026-08-10T00:00:00Z", "2026-08-30T00:00:00Z"), kArm}},
                              now);
  ASSERT_EQ(amis.size(), 2u);
  EXPECT_EQ(amis[0].id, "arm");  // newest first; the only one of its kind, deprecated or not
  EXPECT_TRUE(amis[0].deprecated);
  EXPECT_EQ(amis[1].id, "new");
  EXPECT_FALSE(amis[1].deprecated);
}

TEST(AmiChooser, MatchesVariantsAndArchitectures) {
  auto standard = variant_requirements(AmiVariant::kStandard);
  standard.push_back(kAmd[0]);
  auto nvidia = variant_requirements(AmiVariant::kNvidia);
  nvidia.push_back(kAmd[0]);
  const std::vector<model::ResolvedAmi> amis = {{"ami-std", "", false, standard}, {"ami-gpu", "", false, nvidia}};
  const AmiChooser chooser(amis);
  model::InstanceType plain;
  plain.labels = {{"kubernetes.io/arch", {"amd64"}}};
  model::InstanceType gpu = plain;
  gpu.labels["karpenter.k8s.aws/instance-gpu-count"] = {"1"};
  model::InstanceType arm;
  arm.labels = {{"kubernetes.io/arch", {"arm64"}}};
  EXPECT_EQ(chooser.pick(plain)->id, "ami-std");
  EXPECT_EQ(chooser.pick(gpu)->id, "ami-gpu");
  EXPECT_EQ(chooser.pick(arm), nullptr);
}

TEST(TagFilters, TurnAStarIntoAKey) {
  const auto filters = tag_filters({{"any", "*"}, {"team", "a"}});
  ASSERT_EQ(filters.size(), 2u);
  EXPECT_EQ(filters[0].name, "tag-key");
  EXPECT_THAT(filters[0].values, ElementsAre("any"));
  EXPECT_EQ(filters[1].name, "tag:team");
}

}  // namespace
}  // namespace tenon::cloud
