// Label, annotation, taint and finalizer names that are part of the compatible surface, and the rules about them.
// parity: karpenter pkg/apis/v1/labels.go, karpenter-provider-aws pkg/apis/v1/labels.go
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tenon::model {

// kubernetes
inline constexpr std::string_view kLabelArch = "kubernetes.io/arch";
inline constexpr std::string_view kLabelOs = "kubernetes.io/os";
inline constexpr std::string_view kLabelHostname = "kubernetes.io/hostname";
inline constexpr std::string_view kLabelInstanceType = "node.kubernetes.io/instance-type";
inline constexpr std::string_view kLabelZone = "topology.kubernetes.io/zone";
inline constexpr std::string_view kLabelRegion = "topology.kubernetes.io/region";
inline constexpr std::string_view kLabelWindowsBuild = "node.kubernetes.io/windows-build";
// karpenter.sh
inline constexpr std::string_view kLabelNodePool = "karpenter.sh/nodepool";
inline constexpr std::string_view kLabelCapacityType = "karpenter.sh/capacity-type";
inline constexpr std::string_view kLabelInitialized = "karpenter.sh/initialized";
inline constexpr std::string_view kLabelRegistered = "karpenter.sh/registered";
inline constexpr std::string_view kLabelDoNotSyncTaints = "karpenter.sh/do-not-sync-taints";
inline constexpr std::string_view kAnnotationDoNotDisrupt = "karpenter.sh/do-not-disrupt";
// Annotations of v0.27. They apply to nodes of Provisioners only.
inline constexpr std::string_view kAnnotationDoNotEvict = "karpenter.sh/do-not-evict";
inline constexpr std::string_view kAnnotationDoNotConsolidate = "karpenter.sh/do-not-consolidate";
inline constexpr std::string_view kAnnotationNodePoolHash = "karpenter.sh/nodepool-hash";
inline constexpr std::string_view kAnnotationNodePoolHashVersion = "karpenter.sh/nodepool-hash-version";
inline constexpr std::string_view kAnnotationTerminationTimestamp = "karpenter.sh/nodeclaim-termination-timestamp";
inline constexpr std::string_view kAnnotationMinValuesRelaxed = "karpenter.sh/nodeclaim-min-values-relaxed";
inline constexpr std::string_view kAnnotationPriceOverlay = "karpenter.sh/price-overlay-applied";
inline constexpr std::string_view kAnnotationCapacityOverlay = "karpenter.sh/capacity-overlay-applied";
inline constexpr std::string_view kFinalizerTermination = "karpenter.sh/termination";
inline constexpr std::string_view kTaintUnregistered = "karpenter.sh/unregistered";
inline constexpr std::string_view kTaintDisrupted = "karpenter.sh/disrupted";
inline constexpr std::string_view kLabelExcludeBalancers = "node.kubernetes.io/exclude-from-external-load-balancers";
// Annotation of a NodeClaim that `tenon convert --in-cluster` creates: the provider id of the instance that already
// runs for it. The lifecycle adopts this instance and launches none.
inline constexpr std::string_view kAnnotationInstance = "tenon.dev/instance";
// Annotation of a NodePool or an EC2NodeClass that it creates: the object of v0.27, "Provisioner/default".
inline constexpr std::string_view kAnnotationConvertedFrom = "tenon.dev/converted-from";
// karpenter.k8s.aws
inline constexpr std::string_view kLabelNodeClass = "karpenter.k8s.aws/ec2nodeclass";
inline constexpr std::string_view kAnnotationNodeClassHash = "karpenter.k8s.aws/ec2nodeclass-hash";
inline constexpr std::string_view kAnnotationNodeClassHashVersion = "karpenter.k8s.aws/ec2nodeclass-hash-version";
inline constexpr std::string_view kAnnotationInstanceProfile = "karpenter.k8s.aws/instance-profile-name";
// Annotation of a NodeClaim whose instance has all its tags.
inline constexpr std::string_view kAnnotationTagged = "karpenter.k8s.aws/tagged";
inline constexpr std::string_view kAnnotationClusterTagged = "compatibility.karpenter.k8s.aws/cluster-name-tagged";
inline constexpr std::string_view kFinalizerNodeClass = "karpenter.k8s.aws/termination";
inline constexpr std::string_view kLabelZoneId = "topology.k8s.aws/zone-id";
inline constexpr std::string_view kLabelCategory = "karpenter.k8s.aws/instance-category";
inline constexpr std::string_view kLabelGeneration = "karpenter.k8s.aws/instance-generation";
inline constexpr std::string_view kLabelFamily = "karpenter.k8s.aws/instance-family";
inline constexpr std::string_view kLabelSize = "karpenter.k8s.aws/instance-size";
inline constexpr std::string_view kLabelReservationId = "karpenter.k8s.aws/capacity-reservation-id";
inline constexpr std::string_view kLabelReservationType = "karpenter.k8s.aws/capacity-reservation-type";
inline constexpr std::string_view kLabelReservationInterruptible =
    "karpenter.k8s.aws/capacity-reservation-interruptible";
inline constexpr std::string_view kLabelPlacementGroupId = "karpenter.k8s.aws/placement-group-id";
inline constexpr std::string_view kLabelPlacementGroupPartition = "karpenter.k8s.aws/placement-group-partition";

inline constexpr std::string_view kCapacityOnDemand = "on-demand";
inline constexpr std::string_view kCapacitySpot = "spot";
inline constexpr std::string_view kCapacityReserved = "reserved";

// Maps deprecated and cloud-specific keys to the well-known one ("beta.kubernetes.io/arch" to "kubernetes.io/arch").
std::string_view canonical_label(std::string_view key);
// Returns whether every instance type is assumed to define this key, independent of the catalog.
bool is_well_known_label(std::string_view key);
// Returns why a NodePool must not set or require this label; std::nullopt if it may.
std::optional<std::string> restricted_label_reason(std::string_view key);
// Returns whether the autoscaler must not set this label on a Node itself: well-known labels, the hostname, and labels
// of restricted domains.
bool is_restricted_node_label(std::string_view key);

}  // namespace tenon::model
