// Timings and faults of the simulated kubelets.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/instant.h"
#include "kubesim/kubelet/faults.h"

namespace tenon::kubesim {

struct KubeletOptions {
  std::string region = "us-east-1";
  std::string cluster_name = "demo";  // instances with user data for another cluster do not join
  std::string kubernetes_version = "1.34";

  Duration boot = 20s;         // from running to joined as a Node
  Duration ready = 5s;         // from joined to Ready
  Duration kwok_ready = 1s;    // from a kwok Node's creation (annotation kwok.x-k8s.io/node=fake) to Ready
  Duration pod_start = 1s;     // from bound to Running; overridden by annotation pod-ready.stage.kwok.x-k8s.io/delay
  Duration pod_run = 10s;      // of a Job's pod, from Running to Succeeded; overridden by …pod-complete.stage…/delay
  Duration pod_stop = 1s;      // from deletion to end, at most the grace period; overridden by …pod-delete.stage…/delay
  Duration node_removal = 5s;  // from an instance's termination to its Node's deletion
  Duration lease_renewal = 10min;               // long: no component of the simulated cluster expires leases
  bool pod_events = true;                       // events Pulled, Created, Started, Killing
  std::shared_ptr<const MachineFaults> faults;  // null: no faults
};

}  // namespace tenon::kubesim
