// The effect of user data on an EC2 instance: the cluster that it joins, labels, taints, kubelet settings. Reads MIME
// documents of nodeadm NodeConfigs (AL2023) and of scripts that call bootstrap.sh (AL2), such a script alone,
// Bottlerocket's settings, and PowerShell that calls Windows' bootstrap script. Written from the formats; independent
// of the code that generates user data.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kubesim/actors/selectors.h"
#include "model/node_class.h"

namespace tenon::kubesim {

struct BootConfig {
  std::string cluster;  // empty: the instance joins none
  std::string problem;  // the reason why the kubelet does not start, or empty
  std::map<std::string, std::string> labels;
  std::vector<Taint> taints;
  model::KubeletConfig kubelet;  // max_pods, pods_per_core, the reserved maps, eviction_hard
  bool raid0 = false;            // local disks hold the pods' storage
  bool windows = false;
};

BootConfig read_user_data(std::string_view user_data);

}  // namespace tenon::kubesim
