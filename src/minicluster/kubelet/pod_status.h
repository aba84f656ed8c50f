// What a kubelet writes into a pod's status. Pure functions on JSON; each returns true if anything changed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <string_view>

#include "base/instant.h"

namespace tenon::minicluster {

struct PodPlace {
  std::string_view host_ip, pod_ip;
};
// Accepted by the node: phase Pending, containers waiting (ContainerCreating).
bool set_creating(boost::json::value& pod, const PodPlace& place, Instant now);
// Init containers done, containers running, Ready.
bool set_running(boost::json::value& pod, const PodPlace& place, Instant now);
// Containers ended: phase Succeeded, or Failed for a pod that was killed.
bool set_ended(boost::json::value& pod, bool succeeded, Instant now);

}  // namespace tenon::minicluster
