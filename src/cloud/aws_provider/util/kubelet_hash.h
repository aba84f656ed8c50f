// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cloud/aws_provider/util/stable_hash.h"
#include "model/kubelet_config.h"

namespace tenon::cloud {

// Adds every field.
inline void add_kubelet(StableHash& hash, const model::KubeletConfig& kubelet) {
  hash.add_number(kubelet.cluster_dns.size());
  for (const std::string& address : kubelet.cluster_dns) hash.add(address);
  hash.add_optional(kubelet.max_pods).add_optional(kubelet.pods_per_core);
  hash.add_map(kubelet.system_reserved).add_map(kubelet.kube_reserved).add_map(kubelet.eviction_hard);
  hash.add_map(kubelet.eviction_soft).add_map(kubelet.eviction_soft_grace_period);
  hash.add_optional(kubelet.eviction_max_pod_grace_period).add_optional(kubelet.image_gc_high_threshold_percent);
  hash.add_optional(kubelet.image_gc_low_threshold_percent).add_optional(kubelet.cpu_cfs_quota);
}

}  // namespace tenon::cloud
