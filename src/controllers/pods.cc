// SPDX-License-Identifier: Apache-2.0
#include "controllers/pods.h"

#include <algorithm>

#include "scheduling/input/eviction.h"

namespace tenon::controllers {

size_t reschedulable_pods(const state::Cluster& cluster, const std::string& node) {
  const auto pods = cluster.pods_on(node);
  return static_cast<size_t>(
      std::count_if(pods.begin(), pods.end(), [](const auto& pod) { return scheduling::reschedulable(*pod); }));
}

}  // namespace tenon::controllers
