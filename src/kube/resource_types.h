// The collections that the autoscaler reads and writes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kube/client.h"

namespace tenon::kube {

inline const ResourceType kPods{"", "v1", "pods", "Pod", true};
inline const ResourceType kNodes{"", "v1", "nodes", "Node", false};
inline const ResourceType kNamespaces{"", "v1", "namespaces", "Namespace", false};
inline const ResourceType kEvents{"", "v1", "events", "Event", true};
inline const ResourceType kPersistentVolumeClaims{"", "v1", "persistentvolumeclaims", "PersistentVolumeClaim", true};
inline const ResourceType kPersistentVolumes{"", "v1", "persistentvolumes", "PersistentVolume", false};
inline const ResourceType kDaemonSets{"apps", "v1", "daemonsets", "DaemonSet", true};
inline const ResourceType kDisruptionBudgets{"policy", "v1", "poddisruptionbudgets", "PodDisruptionBudget", true};
inline const ResourceType kStorageClasses{"storage.k8s.io", "v1", "storageclasses", "StorageClass", false};
inline const ResourceType kCsiNodes{"storage.k8s.io", "v1", "csinodes", "CSINode", false};
inline const ResourceType kVolumeAttachments{"storage.k8s.io", "v1", "volumeattachments", "VolumeAttachment", false};
inline const ResourceType kLeases{"coordination.k8s.io", "v1", "leases", "Lease", true};
inline const ResourceType kNodePools{"karpenter.sh", "v1", "nodepools", "NodePool", false};
inline const ResourceType kNodeClaims{"karpenter.sh", "v1", "nodeclaims", "NodeClaim", false};
inline const ResourceType kNodeClasses{"karpenter.k8s.aws", "v1", "ec2nodeclasses", "EC2NodeClass", false};
inline const ResourceType kKwokNodeClasses{"karpenter.kwok.sh", "v1alpha1", "kwoknodeclasses", "KWOKNodeClass", false};
inline const ResourceType kConfigMaps{"", "v1", "configmaps", "ConfigMap", true};
inline const ResourceType kProvisioners{"karpenter.sh", "v1alpha5", "provisioners", "Provisioner", false};
inline const ResourceType kNodeTemplates{"karpenter.k8s.aws", "v1alpha1", "awsnodetemplates", "AWSNodeTemplate", false};
// The webhooks (webhooks/) read and write these.
inline const ResourceType kSecrets{"", "v1", "secrets", "Secret", true};
inline const ResourceType kDefinitions{"apiextensions.k8s.io", "v1", "customresourcedefinitions",
                                       "CustomResourceDefinition", false};
inline const ResourceType kMutatingWebhooks{"admissionregistration.k8s.io", "v1", "mutatingwebhookconfigurations",
                                            "MutatingWebhookConfiguration", false};
inline const ResourceType kValidatingWebhooks{"admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations",
                                              "ValidatingWebhookConfiguration", false};
// Used only with the feature gates NodeOverlay and CapacityBuffer; an API server may not serve the first two.
inline const ResourceType kNodeOverlays{"karpenter.sh", "v1alpha1", "nodeoverlays", "NodeOverlay", false};
inline const ResourceType kCapacityBuffers{"autoscaling.x-k8s.io", "v1beta1", "capacitybuffers", "CapacityBuffer",
                                           true};
inline const ResourceType kPodTemplates{"", "v1", "podtemplates", "PodTemplate", true};
inline const ResourceType kServiceAccounts{"", "v1", "serviceaccounts", "ServiceAccount", true};
inline const ResourceType kDeployments{"apps", "v1", "deployments", "Deployment", true};
inline const ResourceType kStatefulSets{"apps", "v1", "statefulsets", "StatefulSet", true};
inline const ResourceType kReplicaSets{"apps", "v1", "replicasets", "ReplicaSet", true};
// With the two above, used only for a default topology spread.
inline const ResourceType kServices{"", "v1", "services", "Service", true};
inline const ResourceType kReplicationControllers{"", "v1", "replicationcontrollers", "ReplicationController", true};

}  // namespace tenon::kube
