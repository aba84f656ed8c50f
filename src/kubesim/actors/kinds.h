// The resources that the simulated cluster's own components read and write.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kubesim/api.h"

namespace tenon::kubesim {

inline const Resource kPods{"", "pods"};
inline const Resource kNodes{"", "nodes"};
inline const Resource kNamespaces{"", "namespaces"};
inline const Resource kClaims{"", "persistentvolumeclaims"};
inline const Resource kVolumes{"", "persistentvolumes"};
inline const Resource kStorageClasses{"storage.k8s.io", "storageclasses"};
inline const Resource kLeases{"coordination.k8s.io", "leases"};
inline const Resource kDeployments{"apps", "deployments"};
inline const Resource kReplicaSets{"apps", "replicasets"};
inline const Resource kDaemonSets{"apps", "daemonsets"};
inline const Resource kStatefulSets{"apps", "statefulsets"};
inline const Resource kJobs{"batch", "jobs"};
inline const Resource kBudgets{"policy", "poddisruptionbudgets"};

}  // namespace tenon::kubesim
