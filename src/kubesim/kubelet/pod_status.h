// The pod status as a kubelet writes it. Pure functions on JSON; each returns true if anything changed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <string_view>

#include "base/instant.h"

namespace tenon::kubesim {

struct PodPlace {
  std::string_view host_ip, pod_ip;
};
// The node accepts the pod: phase Pending, containers waiting (ContainerCreating).
bool set_creating(boost::json::value& pod, const PodPlace& place, Instant now);
// Init containers are done, containers run, the pod is Ready.
bool set_running(boost::json::value& pod, const PodPlace& place, Instant now);
// Containers have ended: phase Succeeded, or Failed for a killed pod.
bool set_ended(boost::json::value& pod, bool succeeded, Instant now);

}  // namespace tenon::kubesim
