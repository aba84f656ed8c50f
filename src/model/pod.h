// The parts of a Pod that scheduling, disruption and draining need. Value type.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/shared.h"
#include "model/affinity.h"
#include "model/meta.h"
#include "model/resources.h"
#include "model/taint.h"

namespace tenon::model {

struct HostPort {
  std::string ip, protocol;  // ip "" or "0.0.0.0": all addresses; protocol TCP if empty
  int port = 0;
  friend auto operator<=>(const HostPort&, const HostPort&) = default;
};

struct PodVolume {
  std::string name;
  std::string claim_name;     // persistentVolumeClaim; empty: none
  bool ephemeral = false;     // generic ephemeral: the claim is "<pod>-<volume>"
  std::string storage_class;  // of the ephemeral template
  friend bool operator==(const PodVolume&, const PodVolume&) = default;
};

// The part of a pod that all pods of one template share.
struct PodSpec {
  std::string scheduler_name = "default-scheduler";
  std::string priority_class_name;
  int priority = 0;
  bool preemption_never = false;
  bool gated = false;  // schedulingGates
  bool uses_resource_claims = false;
  // What the scheduler counts: containers, init containers and sidecars, pod-level resources, overhead; "pods": 1.
  Resources requests;
  Resources limits;
  StringMap node_selector;
  Affinity affinity;
  std::vector<SpreadConstraint> spread;
  std::vector<Toleration> tolerations;
  std::vector<HostPort> host_ports;
  std::vector<PodVolume> volumes;
  std::optional<int64_t> termination_grace_seconds;
  std::string buffer;   // CapacityBuffer (namespace/name) whose free room it represents; empty: a real pod
  std::string problem;  // why this well-formed pod cannot be planned (plan-format.md); empty: it can be
  friend bool operator==(const PodSpec&, const PodSpec&) = default;
};

struct Pod {
  ObjectMeta meta;
  Shared<PodSpec> spec;
  std::string node_name;            // spec.nodeName
  std::string nominated_node_name;  // status.nominatedNodeName
  std::string phase = "Pending";    // Pending, Running, Succeeded, Failed, Unknown
  std::vector<Condition> conditions;
  std::optional<int64_t> deletion_grace_seconds;

  std::string key() const;  // "namespace/name"
  const OwnerReference* controller() const;
  bool terminal() const { return phase == "Succeeded" || phase == "Failed"; }
  bool owned_by_daemon_set() const;
  bool owned_by_node() const;  // a static (mirror) pod
  // Marked Unschedulable, not bound, not nominated by preemption, not a pod of a DaemonSet or a static pod.
  // parity: karpenter pkg/utils/pod IsProvisionable
  bool provisionable() const;
  friend bool operator==(const Pod&, const Pod&) = default;
};

// A DaemonSet's pod template, as one pod that counts on each node whose taints it tolerates and whose labels it
// matches.
struct DaemonSet {
  ObjectMeta meta;
  Pod pod_template;
  friend bool operator==(const DaemonSet&, const DaemonSet&) = default;
};

struct PodDisruptionBudget {
  ObjectMeta meta;
  std::optional<LabelSelector> selector;
  int disruptions_allowed = 0;          // status
  bool always_allow_unhealthy = false;  // unhealthyPodEvictionPolicy: AlwaysAllow
  bool never_allows = false;            // maxUnavailable 0 or 0 %, minAvailable 100 %
  friend bool operator==(const PodDisruptionBudget&, const PodDisruptionBudget&) = default;
};

}  // namespace tenon::model
