// Arguments of the kubelet: of an EC2NodeClass in v1, of a Provisioner in v0.27. Value type.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/meta.h"

namespace tenon::model {

struct KubeletConfig {
  std::vector<std::string> cluster_dns;
  std::optional<int> max_pods, pods_per_core;
  StringMap system_reserved, kube_reserved, eviction_hard, eviction_soft, eviction_soft_grace_period;
  std::optional<int> eviction_max_pod_grace_period, image_gc_high_threshold_percent, image_gc_low_threshold_percent;
  std::optional<bool> cpu_cfs_quota;
  friend bool operator==(const KubeletConfig&, const KubeletConfig&) = default;
};

}  // namespace tenon::model
