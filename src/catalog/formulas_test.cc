// SPDX-License-Identifier: Apache-2.0
#include "catalog/formulas.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "model/labels.h"

namespace tenon::catalog {
namespace {

const InstanceFacts& facts_of(std::string_view name) {
  const InstanceFacts* facts = find_instance_type(name);
  EXPECT_NE(facts, nullptr) << name;
  static const InstanceFacts kNone;
  return facts ? *facts : kNone;
}

// The published allocatable amounts of every type, which the formulas must reproduce.
TEST(Formulas, AllocatableOfEveryType) {
  std::ifstream in(TENON_SOURCE_DIR "/src/catalog/testdata/allocatable.tsv");
  ASSERT_TRUE(in);
  size_t rows = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line.front() == '#') continue;
    std::istringstream cells(line);
    std::string name;
    int64_t millicores = 0, memory_mib = 0, pods = 0, reported_mib = 0, kube_millicores = 0, kube_mib = 0,
            windows_mib = 0;
    cells >> name >> millicores >> memory_mib >> pods >> reported_mib >> kube_millicores >> kube_mib >> windows_mib;
    ASSERT_TRUE(cells) << line;
    const InstanceFacts& facts = facts_of(name);
    NodeSettings settings;
    auto overhead = overhead_of(facts, settings);
    ASSERT_TRUE(overhead) << name;
    model::Resources left = capacity_of(facts, settings) - overhead->total();
    EXPECT_EQ(left.get(model::kCpu), millicores) << name;
    EXPECT_EQ(left.get(model::kMemory), memory_mib * kBytesPerMib) << name;
    EXPECT_EQ(left.get(model::kPods), pods) << name;
    EXPECT_EQ(memory_capacity_bytes(facts, kVmMemoryOverhead), reported_mib * kBytesPerMib) << name;
    EXPECT_EQ(overhead->kube_reserved.get(model::kCpu), kube_millicores) << name;
    EXPECT_EQ(overhead->kube_reserved.get(model::kMemory), kube_mib * kBytesPerMib) << name;
    settings.windows_build = "10.0.20348";
    settings.eni_limited_pods = settings.kube_reserved_by_enis = false;
    left = capacity_of(facts, settings) - overhead_of(facts, settings)->total();
    EXPECT_EQ(left.get(model::kMemory), windows_mib * kBytesPerMib) << name;
    EXPECT_EQ(left.get(model::kPods), 110) << name;
    ++rows;
  }
  EXPECT_EQ(rows, all_instance_types().size());
}

TEST(Formulas, M5LargeInFull) {
  const InstanceFacts& m5 = facts_of("m5.large");
  NodeSettings settings;
  model::Resources capacity = capacity_of(m5, settings);
  EXPECT_EQ(capacity, (model::Resources{{"cpu", 2000},
                                        {"memory", 7577 * kBytesPerMib},
                                        {"ephemeral-storage", 20 * kBytesPerGib},
                                        {"pods", 29},
                                        {"vpc.amazonaws.com/pod-eni", 9}}));
  auto overhead = overhead_of(m5, settings);
  ASSERT_TRUE(overhead);
  EXPECT_EQ(overhead->kube_reserved,
            (model::Resources{{"cpu", 70}, {"memory", 574 * kBytesPerMib}, {"ephemeral-storage", kBytesPerGib}}));
  EXPECT_EQ(overhead->eviction_threshold,
            (model::Resources{{"memory", 100 * kBytesPerMib}, {"ephemeral-storage", 2 * kBytesPerGib}}));
  EXPECT_TRUE(overhead->system_reserved.empty());
}

TEST(Formulas, ArmKeepsFirmwareMemory) {
  // 4096 − 64 = 4032; 7.5 % of it rounds up to 303.
  EXPECT_EQ(memory_capacity_bytes(facts_of("c6g.large"), kVmMemoryOverhead), (4032 - 303) * kBytesPerMib);
  EXPECT_EQ(memory_capacity_bytes(facts_of("c6g.large"), 0), 4032 * kBytesPerMib);
}

TEST(Formulas, KubeReservedCpuByBands) {
  EXPECT_EQ(kube_reserved_millicores(1), 60);
  EXPECT_EQ(kube_reserved_millicores(2), 70);
  EXPECT_EQ(kube_reserved_millicores(4), 80);
  EXPECT_EQ(kube_reserved_millicores(8), 90);
  EXPECT_EQ(kube_reserved_millicores(96), 310);
}

TEST(Formulas, PodCapacityFollowsTheKubelet) {
  const InstanceFacts& m5 = facts_of("m5.large");
  NodeSettings settings;
  EXPECT_EQ(pod_capacity(m5, settings), 29);
  settings.reserved_enis = 1;
  EXPECT_EQ(pod_capacity(m5, settings), 20);
  settings.reserved_enis = 3;
  EXPECT_EQ(pod_capacity(m5, settings), 0);
  settings = {};
  settings.eni_limited_pods = false;
  EXPECT_EQ(pod_capacity(m5, settings), 110);
  settings.kubelet.pods_per_core = 10;
  EXPECT_EQ(pod_capacity(m5, settings), 20);
  settings.pods_per_core = false;
  EXPECT_EQ(pod_capacity(m5, settings), 110);
  settings.kubelet.max_pods = 50;
  EXPECT_EQ(pod_capacity(m5, settings), 50);
}

TEST(Formulas, MaxPodsDoesNotMoveTheReservationByInterfaces) {
  NodeSettings settings;
  settings.kubelet.max_pods = 110;
  EXPECT_EQ(overhead_of(facts_of("m5.large"), settings)->kube_reserved.get("memory"), 574 * kBytesPerMib);
  settings.kube_reserved_by_enis = false;
  EXPECT_EQ(overhead_of(facts_of("m5.large"), settings)->kube_reserved.get("memory"), (11 * 110 + 255) * kBytesPerMib);
}

TEST(Formulas, KubeletMapsReplacePerKey) {
  NodeSettings settings;
  settings.kubelet.kube_reserved = {{"cpu", "200m"}};
  settings.kubelet.system_reserved = {{"memory", "1Gi"}};
  settings.kubelet.eviction_hard = {{"memory.available", "5%"}, {"nodefs.available", "100%"}, {"pid.available", "3%"}};
  const InstanceFacts& m5 = facts_of("m5.large");
  auto overhead = overhead_of(m5, settings);
  ASSERT_TRUE(overhead);
  EXPECT_EQ(overhead->kube_reserved.get("cpu"), 200);
  EXPECT_EQ(overhead->kube_reserved.get("memory"), 574 * kBytesPerMib);
  EXPECT_EQ(overhead->system_reserved.get("memory"), kBytesPerGib);
  EXPECT_EQ(overhead->eviction_threshold.get("memory"), (7577 * kBytesPerMib * 5 + 99) / 100);
  EXPECT_EQ(overhead->eviction_threshold.get("ephemeral-storage"), 0);
}

TEST(Formulas, BadKubeletMapsNameTheField) {
  NodeSettings settings;
  settings.kubelet.kube_reserved = {{"cpu", "lots"}};
  auto overhead = overhead_of(facts_of("m5.large"), settings);
  ASSERT_FALSE(overhead);
  EXPECT_EQ(overhead.error().code, Code::kInvalid);
  EXPECT_NE(overhead.error().message.find("kubelet.kubeReserved[cpu]"), std::string::npos) << overhead.error().message;
  settings = {};
  settings.kubelet.eviction_hard = {{"memory.available", "120%"}};
  EXPECT_FALSE(overhead_of(facts_of("m5.large"), settings));
}

TEST(Formulas, InterfacesOfTheClassTakeFromTheTypes) {
  NodeSettings settings;
  EXPECT_EQ(capacity_of(facts_of("p4d.24xlarge"), settings).get("vpc.amazonaws.com/efa"), 4);
  settings.efa_interfaces = 2;
  settings.efa_only_on_first_card = 1;
  EXPECT_EQ(capacity_of(facts_of("p4d.24xlarge"), settings).get("vpc.amazonaws.com/efa"), 2);
  EXPECT_EQ(pod_capacity(facts_of("m5.large"), settings), 20);  // 2 of 3 interfaces have addresses
}

TEST(Formulas, Windows) {
  NodeSettings settings;
  settings.windows_build = "10.0.20348";
  EXPECT_EQ(capacity_of(facts_of("m5.large"), settings).get("vpc.amazonaws.com/PrivateIPv4Address"), 9);
  const auto type = assemble(facts_of("m5.large"), settings, "us-east-1", {});
  using Values = std::vector<std::string>;
  EXPECT_EQ(type->labels.at("kubernetes.io/os"), Values{"windows"});
  EXPECT_EQ(type->labels.at("node.kubernetes.io/windows-build"), Values{"10.0.20348"});
  EXPECT_FALSE(assemble(facts_of("m6g.large"), settings, "us-east-1", {})->labels.contains("kubernetes.io/os"));
}

TEST(Formulas, DevicesAndLocalDisks) {
  NodeSettings settings;
  EXPECT_EQ(capacity_of(facts_of("p3.8xlarge"), settings).get("nvidia.com/gpu"), 4);
  EXPECT_EQ(capacity_of(facts_of("g4ad.xlarge"), settings).get("amd.com/gpu"), 1);
  EXPECT_EQ(capacity_of(facts_of("dl1.24xlarge"), settings).get("habana.ai/gaudi"), 8);
  EXPECT_EQ(capacity_of(facts_of("inf1.6xlarge"), settings).get("aws.amazon.com/neuron"), 4);
  EXPECT_EQ(capacity_of(facts_of("inf1.6xlarge"), settings).get("aws.amazon.com/neuroncore"), 16);
  EXPECT_FALSE(capacity_of(facts_of("m5.large"), settings).has("nvidia.com/gpu"));
  settings.instance_store_raid0 = true;
  EXPECT_EQ(capacity_of(facts_of("i3.large"), settings).get("ephemeral-storage"),
            facts_of("i3.large").local_nvme_gb * 1'000'000'000);
  EXPECT_EQ(capacity_of(facts_of("m5.large"), settings).get("ephemeral-storage"), 20 * kBytesPerGib);
  InstanceFacts spinning = facts_of("m5.large");  // as d2.xlarge: disks without NVMe
  spinning.local_disk_gb = 6144;
  EXPECT_EQ(capacity_of(spinning, settings).get("ephemeral-storage"), 6144 * int64_t{1'000'000'000});
  EXPECT_FALSE(labels_of(spinning).contains("karpenter.k8s.aws/instance-local-nvme"));
}

TEST(Formulas, GpusOfSeveralKindsAreAddedUpAndNoLabelNamesThem) {
  InstanceFacts mixed = facts_of("g4dn.metal");
  mixed.gpus.push_back({"l4", "nvidia", 2, 24576});
  mixed.gpus.push_back({"radeon-pro-v520", "amd", 1, 8192});
  EXPECT_EQ(capacity_of(mixed, {}).get("nvidia.com/gpu"), 10);
  EXPECT_EQ(capacity_of(mixed, {}).get("amd.com/gpu"), 1);
  EXPECT_FALSE(labels_of(mixed).contains("karpenter.k8s.aws/instance-gpu-count"));
}

TEST(Formulas, LabelsOfAType) {
  LabelValues labels = labels_of(facts_of("g4dn.metal"));
  using Values = std::vector<std::string>;
  EXPECT_EQ(labels.at("karpenter.k8s.aws/instance-hypervisor"), Values{""});
  EXPECT_EQ(labels.at("karpenter.k8s.aws/instance-gpu-name"), Values{"t4"});
  EXPECT_EQ(labels.at("karpenter.k8s.aws/instance-gpu-count"), Values{"8"});
  EXPECT_EQ(labels.at("karpenter.k8s.aws/instance-tenancy"), (Values{"dedicated", "default"}));
  EXPECT_EQ(labels.at("kubernetes.io/arch"), Values{"amd64"});
  EXPECT_FALSE(labels.contains("karpenter.k8s.aws/instance-accelerator-name"));
  labels = labels_of(facts_of("m5.large"));
  EXPECT_FALSE(labels.contains("karpenter.k8s.aws/instance-gpu-name"));
  EXPECT_FALSE(labels.contains("karpenter.k8s.aws/instance-local-nvme"));
  EXPECT_EQ(labels.at("karpenter.k8s.aws/instance-network-bandwidth"), Values{"750"});
}

TEST(Formulas, AssembleTakesPlacesFromTheOfferings) {
  model::Offering a{.zone = "us-east-1b",
                    .zone_id = "use1-az2",
                    .capacity_type = "spot",
                    .price = model::Price(1),
                    .reservation_id = {},
                    .reservation_type = {}};
  model::Offering b = a;
  b.zone = "us-east-1a";
  b.zone_id = "use1-az1";
  auto type = assemble(facts_of("m5.large"), {}, "us-east-1", {a, b});
  ASSERT_TRUE(type);
  using Values = std::vector<std::string>;
  EXPECT_EQ(type->labels.at("topology.kubernetes.io/zone"), (Values{"us-east-1a", "us-east-1b"}));
  EXPECT_EQ(type->labels.at("topology.k8s.aws/zone-id"), (Values{"use1-az1", "use1-az2"}));
  EXPECT_EQ(type->labels.at("karpenter.sh/capacity-type"), Values{"spot"});
  EXPECT_EQ(type->labels.at("topology.kubernetes.io/region"), Values{"us-east-1"});
  EXPECT_EQ(type->allocatable().get("memory"), 6903 * kBytesPerMib);
  EXPECT_TRUE(type->problem.empty());
  EXPECT_FALSE(assemble(facts_of("m5.large"), {}, "us-east-1", {})->problem.empty());
}

}  // namespace
}  // namespace tenon::catalog
