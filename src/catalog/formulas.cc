// SPDX-License-Identifier: Apache-2.0
#include "catalog/formulas.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <span>

#include "model/labels.h"
#include "model/quantity.h"

namespace tenon::catalog {
namespace {

using model::Resources;

constexpr int64_t kArmReservedMib = 64;  // firmware of arm64 instances
constexpr int64_t kKubeReservedMibPerPod = 11;
constexpr int64_t kKubeReservedMibBase = 255;
constexpr int64_t kEvictionMemoryMib = 100;
constexpr int64_t kEvictionStoragePercent = 10;
constexpr int64_t kBytesPerGb = 1'000'000'000;

void put(LabelValues& labels, std::string_view suffix, std::string value) {
  labels["karpenter.k8s.aws/instance-" + std::string(suffix)] = {std::move(value)};
}

// Parses "10%" of a capacity (100 % means no threshold), or a quantity.
Result<int64_t> eviction_signal(const std::string& field, const std::string& text, int64_t capacity) {
  if (!text.empty() && text.back() == '%') {
    char* end = nullptr;
    double percent = std::strtod(text.c_str(), &end);
    if (end != text.c_str() + text.size() - 1 || !(percent >= 0 && percent <= 100))
      return fail(Code::kInvalid, field + ": \"" + text + "\" is not a percentage");
    if (percent == 100) return 0;
    return static_cast<int64_t>(std::ceil(static_cast<double>(capacity) / 100 * percent));
  }
  return TRY_IN(field, model::parse_quantity(text)).ceil_units();
}

Status override_with(Resources& resources, const std::string& field, const model::StringMap& given) {
  for (const auto& [name, text] : given)
    resources.set_ceil(name, TRY_IN("kubelet." + field + "[" + name + "]", model::parse_quantity(text)));
  return ok();
}

Status apply_eviction_hard(Resources& threshold, const model::StringMap& signals, const Resources& capacity) {
  for (const auto& [signal, text] : signals) {
    std::string_view resource;
    if (signal == "memory.available") resource = model::kMemory;
    if (signal == "nodefs.available") resource = model::kEphemeralStorage;
    if (resource.empty()) continue;
    threshold.set(resource, TRY(eviction_signal("kubelet.evictionHard[" + signal + "]", text, capacity.get(resource))));
  }
  return ok();
}

int64_t storage_capacity(const InstanceFacts& facts, const NodeSettings& settings) {
  const int64_t local_gb = std::max(facts.local_nvme_gb, facts.local_disk_gb);
  if (settings.instance_store_raid0 && local_gb > 0) return local_gb * kBytesPerGb;
  return settings.root_volume_bytes;
}

int64_t gpus_of(const InstanceFacts& facts, std::string_view manufacturer) {
  int64_t count = 0;
  for (const Gpu& gpu : facts.gpus) {
    if (gpu.manufacturer == manufacturer) count += gpu.count;
  }
  return count;
}

}  // namespace

LabelValues labels_of(const InstanceFacts& facts) {
  LabelValues labels;
  labels[std::string(model::kLabelInstanceType)] = {facts.name};
  labels[std::string(model::kLabelArch)] = {facts.arch};
  labels[std::string(model::kLabelOs)] = {"linux"};
  labels["karpenter.k8s.aws/instance-tenancy"] = {"dedicated", "default"};
  put(labels, "cpu", std::to_string(facts.vcpus));
  put(labels, "memory", std::to_string(facts.memory_mib));
  put(labels, "family", facts.family);
  put(labels, "size", facts.size);
  put(labels, "capability-flex", facts.flex ? "true" : "false");
  put(labels, "encryption-in-transit-supported", facts.encryption_in_transit ? "true" : "false");
  put(labels, "hypervisor", facts.hypervisor);
  if (!facts.category.empty()) put(labels, "category", facts.category);
  if (!facts.generation.empty()) put(labels, "generation", facts.generation);
  if (!facts.cpu_manufacturer.empty()) put(labels, "cpu-manufacturer", facts.cpu_manufacturer);
  if (facts.clock_mhz > 0) put(labels, "cpu-sustained-clock-speed-mhz", std::to_string(facts.clock_mhz));
  if (facts.ebs_mbps > 0) put(labels, "ebs-bandwidth", std::to_string(facts.ebs_mbps));
  if (facts.network_mbps > 0) put(labels, "network-bandwidth", std::to_string(facts.network_mbps));
  if (facts.local_nvme_gb > 0) put(labels, "local-nvme", std::to_string(facts.local_nvme_gb));
  if (facts.gpus.size() == 1) {
    const Gpu& gpu = facts.gpus.front();
    put(labels, "gpu-name", gpu.name);
    put(labels, "gpu-manufacturer", gpu.manufacturer);
    put(labels, "gpu-count", std::to_string(gpu.count));
    put(labels, "gpu-memory", std::to_string(gpu.memory_mib));
  }
  if (facts.accelerator) {
    put(labels, "accelerator-name", facts.accelerator->name);
    put(labels, "accelerator-manufacturer", facts.accelerator->manufacturer);
    put(labels, "accelerator-count", std::to_string(facts.accelerator->count));
  }
  return labels;
}

int64_t memory_capacity_bytes(const InstanceFacts& facts, double vm_memory_overhead) {
  int64_t bytes = (facts.memory_mib - (facts.arch == "arm64" ? kArmReservedMib : 0)) * kBytesPerMib;
  // In doubles and in this order, as Karpenter computes it: the result must not differ by a MiB.
  double overhead_mib = static_cast<double>(bytes) * vm_memory_overhead / 1024 / 1024;
  return bytes - static_cast<int64_t>(std::ceil(overhead_mib)) * kBytesPerMib;
}

int64_t eni_max_pods(const InstanceFacts& facts, int64_t reserved_enis) {
  int64_t usable = std::max<int64_t>(facts.default_card_enis - reserved_enis, 0);
  return usable == 0 ? 0 : usable * (facts.ipv4_per_eni - 1) + 2;
}

int64_t pod_capacity(const InstanceFacts& facts, const NodeSettings& settings) {
  const model::KubeletConfig& kubelet = settings.kubelet;
  int64_t pods = kPodsWithoutEniLimit;
  if (kubelet.max_pods) {
    pods = *kubelet.max_pods;
  } else if (settings.eni_limited_pods) {
    pods = eni_max_pods(facts, settings.reserved_enis + settings.efa_only_on_first_card);
  }
  if (settings.pods_per_core && kubelet.pods_per_core.value_or(0) > 0)
    pods = std::min(pods, *kubelet.pods_per_core * facts.vcpus);
  return pods;
}

int64_t kube_reserved_millicores(int64_t vcpus) {
  struct Band {
    int64_t from, to;
    int64_t per_10000;
  };
  constexpr Band kBands[] = {{0, 1000, 600}, {1000, 2000, 100}, {2000, 4000, 50}, {4000, INT64_MAX, 25}};
  int64_t reserved = 0;
  for (const Band& band : kBands) {
    int64_t inside = std::min(vcpus * 1000, band.to) - band.from;
    if (inside > 0) reserved += inside * band.per_10000 / 10'000;
  }
  return reserved;
}

Resources capacity_of(const InstanceFacts& facts, const NodeSettings& settings) {
  Resources capacity;
  auto put_positive = [&](std::string_view name, int64_t amount) {
    if (amount > 0) capacity.set(name, amount);
  };
  put_positive(model::kCpu, facts.vcpus * 1000);
  put_positive(model::kMemory,
               settings.memory_bytes.value_or(memory_capacity_bytes(facts, settings.vm_memory_overhead)));
  put_positive(model::kEphemeralStorage, storage_capacity(facts, settings));
  put_positive(model::kPods, pod_capacity(facts, settings));
  if (!settings.windows_build.empty()) put_positive("vpc.amazonaws.com/PrivateIPv4Address", facts.ipv4_per_eni - 1);
  if (settings.pod_eni) put_positive("vpc.amazonaws.com/pod-eni", facts.branch_enis);
  put_positive("vpc.amazonaws.com/efa", settings.efa_interfaces.value_or(facts.efas));
  put_positive("nvidia.com/gpu", gpus_of(facts, "nvidia"));
  put_positive("amd.com/gpu", gpus_of(facts, "amd"));
  put_positive("habana.ai/gaudi", gpus_of(facts, "habana"));
  if (facts.accelerator && facts.accelerator->manufacturer == "aws") {
    put_positive("aws.amazon.com/neuron", facts.accelerator->count);
    put_positive("aws.amazon.com/neuroncore", facts.accelerator->cores);
  }
  return capacity;
}

Result<Overhead> overhead_of(const InstanceFacts& facts, const NodeSettings& settings) {
  Resources capacity = capacity_of(facts, settings);
  Overhead overhead;
  int64_t pods = settings.kube_reserved_by_enis ? eni_max_pods(facts, 0) : capacity.get(model::kPods);
  overhead.kube_reserved.set(model::kCpu, kube_reserved_millicores(facts.vcpus));
  overhead.kube_reserved.set(model::kMemory, (kKubeReservedMibPerPod * pods + kKubeReservedMibBase) * kBytesPerMib);
  overhead.kube_reserved.set(model::kEphemeralStorage, kBytesPerGib);
  TRY(override_with(overhead.kube_reserved, "kubeReserved", settings.kubelet.kube_reserved));
  TRY(override_with(overhead.system_reserved, "systemReserved", settings.kubelet.system_reserved));
  int64_t storage = capacity.get(model::kEphemeralStorage);
  overhead.eviction_threshold.set(model::kMemory, kEvictionMemoryMib * kBytesPerMib);
  overhead.eviction_threshold.set(model::kEphemeralStorage, (storage * kEvictionStoragePercent + 99) / 100);
  TRY(apply_eviction_hard(overhead.eviction_threshold, settings.kubelet.eviction_hard, capacity));
  return overhead;
}

Result<model::InstanceType> assemble(const InstanceFacts& facts, const NodeSettings& settings, std::string_view region,
                                     std::vector<model::Offering> offerings) {
  model::InstanceType type;
  type.name = facts.name;
  type.labels = labels_of(facts);
  if (!settings.windows_build.empty()) {
    type.labels[std::string(model::kLabelWindowsBuild)] = {settings.windows_build};
    type.labels[std::string(model::kLabelOs)] = {"windows"};
    if (facts.arch != "amd64") type.labels.erase(std::string(model::kLabelOs));  // no such Windows
  }
  type.labels[std::string(model::kLabelRegion)] = {std::string(region)};
  std::set<std::string> zones, zone_ids, capacity_types;
  for (const model::Offering& offering : offerings) {
    zones.insert(offering.zone);
    if (!offering.zone_id.empty()) zone_ids.insert(offering.zone_id);
    capacity_types.insert(offering.capacity_type);
  }
  auto put_set = [&](std::string_view key, const std::set<std::string>& values) {
    if (!values.empty()) type.labels[std::string(key)] = {values.begin(), values.end()};
  };
  put_set(model::kLabelZone, zones);
  put_set(model::kLabelZoneId, zone_ids);
  put_set(model::kLabelCapacityType, capacity_types);
  type.capacity = capacity_of(facts, settings);
  type.overhead = TRY(overhead_of(facts, settings)).total();
  type.offerings = std::move(offerings);
  if (type.offerings.empty()) type.problem = "it is offered nowhere";
  return type;
}

}  // namespace tenon::catalog
