// How simulated kubelets behave.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/instant.h"
#include "minicluster/kubelet/faults.h"

namespace tenon::minicluster {

struct KubeletOptions {
  std::string region = "us-east-1";
  std::string cluster_name = "demo";  // an instance told to join another cluster does not show up here
  std::string kubernetes_version = "1.34";

  Duration boot = 20s;         // from running to a Node that has joined
  Duration ready = 5s;         // from joined to Ready
  Duration kwok_ready = 1s;    // from a Node made by hand (annotation kwok.x-k8s.io/node=fake) to Ready
  Duration pod_start = 1s;     // from bound to Running; a pod's annotation pod-ready.stage.kwok.x-k8s.io/delay wins
  Duration pod_run = 10s;      // a Job's pod, from Running to Succeeded; …pod-complete.stage…/delay wins
  Duration pod_stop = 1s;      // from a deletion to its end, at most the grace period; …pod-delete.stage…/delay wins
  Duration node_removal = 5s;  // from a terminated instance to its Node's deletion
  Duration lease_renewal = 10min;               // node leases are virtual: nothing here expires when they are old
  bool pod_events = true;                       // Pulled, Created, Started, Killing
  std::shared_ptr<const MachineFaults> faults;  // null: nothing goes wrong
};

}  // namespace tenon::minicluster
