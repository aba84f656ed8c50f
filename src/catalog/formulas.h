// The labels, the capacity and the system overhead of a node of an instance type. Pure functions of the facts and the
// settings of the node class; the kubelets of the minicluster report these values.
// parity: karpenter-provider-aws pkg/providers/instancetype/types.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "catalog/catalog.h"
#include "model/instance_type.h"
#include "model/node_class.h"
#include "model/resources.h"

namespace tenon::catalog {

inline constexpr int64_t kBytesPerMib = int64_t{1} << 20;
inline constexpr int64_t kBytesPerGib = int64_t{1} << 30;
inline constexpr double kVmMemoryOverhead = 0.075;  // share of the memory that the hypervisor reserves
inline constexpr int64_t kDefaultRootVolumeBytes = 20 * kBytesPerGib;
inline constexpr int64_t kPodsWithoutEniLimit = 110;

struct NodeSettings {
  double vm_memory_overhead = kVmMemoryOverhead;
  std::optional<int64_t> memory_bytes = {};  // that a node has reported; std::nullopt: by the formula
  int64_t reserved_enis = 0;
  int64_t root_volume_bytes = kDefaultRootVolumeBytes;
  bool instance_store_raid0 = false;           // ephemeral storage is on the local disks
  bool eni_limited_pods = true;                // the pod count is derived from the interfaces
  bool pods_per_core = true;                   // the AMI family honours kubelet.podsPerCore
  bool pod_eni = true;                         // trunk-compatible types offer branch interfaces
  int64_t efa_only_on_first_card = 0;          // interfaces of the class that have no addresses
  std::optional<int64_t> efa_interfaces = {};  // that the class requests; std::nullopt: as many as the type has
  std::string windows_build = {};              // 10.0.20348; empty: Linux
  bool kube_reserved_by_enis = true;  // AL2, AL2023 and Custom reserve for the pods of the interfaces, not for maxPods
  model::KubeletConfig kubelet = {};
};

struct Overhead {
  model::Resources kube_reserved, system_reserved, eviction_threshold;
  model::Resources total() const { return kube_reserved + system_reserved + eviction_threshold; }
};

// Label → values, for all labels of a type that do not depend on its offerings: without zone, zone id, region and
// capacity type. Tenancy has two values. A node does not have a label that is absent here.
using LabelValues = std::map<std::string, std::vector<std::string>, std::less<>>;
LabelValues labels_of(const InstanceFacts& facts);

int64_t memory_capacity_bytes(const InstanceFacts& facts, double vm_memory_overhead);
// Returns the number of pods by addresses: (interfaces of the default card − reserved_enis) × (IPv4 addresses of each −
// 1) + 2; 0 if no interface is left.
int64_t eni_max_pods(const InstanceFacts& facts, int64_t reserved_enis);
int64_t pod_capacity(const InstanceFacts& facts, const NodeSettings& settings);
int64_t kube_reserved_millicores(int64_t vcpus);

// Contains positive amounts only.
model::Resources capacity_of(const InstanceFacts& facts, const NodeSettings& settings);
// Errors: kInvalid: "kubelet.kubeReserved[cpu]: …".
Result<Overhead> overhead_of(const InstanceFacts& facts, const NodeSettings& settings);

// Returns a type of the model from facts, settings and offerings. Its labels for zones, zone ids and capacity types
// have the values of the offerings.
Result<model::InstanceType> assemble(const InstanceFacts& facts, const NodeSettings& settings, std::string_view region,
                                     std::vector<model::Offering> offerings);

}  // namespace tenon::catalog
