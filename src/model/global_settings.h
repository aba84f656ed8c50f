// The ConfigMap karpenter-global-settings of v0.27. Value type.
// parity: karpenter v0.27.5 pkg/apis/settings, karpenter-core v0.27.5 pkg/apis/settings
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "model/meta.h"
#include "model/node_class.h"
#include "model/node_pool.h"

namespace tenon::model {

struct GlobalSettings {
  ObjectMeta meta;
  std::string default_instance_profile;  // aws.defaultInstanceProfile
  StringMap tags;                        // aws.tags
  bool drift = false;                    // featureGates.driftEnabled
  bool pod_eni = false;                  // aws.enablePodENI
  bool eni_limited_pods = true;          // aws.enableENILimitedPodDensity
  // The settings of the process, which reads them at its start; empty or absent: not set.
  std::string cluster_name, cluster_endpoint, interruption_queue;
  std::optional<bool> isolated_vpc;
  std::optional<double> vm_memory_overhead_percent;
  std::optional<Duration> batch_idle, batch_max;
  friend bool operator==(const GlobalSettings&, const GlobalSettings&) = default;
};

// Apply the settings to the projection of a Provisioner or an AWSNodeTemplate. Its own fields win. A template without
// amiFamily and amiSelector gets `alias`; empty: none yet, and nothing is launched with it.
NodePool with_settings(NodePool provisioner, const GlobalSettings& settings);
NodeClass with_settings(NodeClass node_template, const GlobalSettings& settings, const std::string& alias);

// The first minor version of Kubernetes for which EKS publishes no images of AL2, the default family of v0.27.
inline constexpr int kFirstMinorWithoutAl2 = 33;
// Returns "al2@latest", or "al2023@latest" from that version on. `kubernetes_version`: "v1.34.1"; empty gives "".
std::string default_ami_alias(std::string_view kubernetes_version);
// Returns 34 for "1.34", "v1.34.1" and "1.34+"; 0 if there is no number.
int minor_of(std::string_view kubernetes_version);

}  // namespace tenon::model
