// SPDX-License-Identifier: Apache-2.0
#include "plan/condition_table.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace tenon::plan {
namespace {

using Reason = ConditionReason;

constexpr Reason kNotYet{"Unknown", "AwaitingReconciliation", "No controller has looked at the object yet."};
constexpr Reason kWaiting{"Unknown", "ReconcilingDependents", "A condition that it summarizes is Unknown."};
constexpr Reason kUnhealthy{"False", "UnhealthyDependents", "A condition that it summarizes is False."};
constexpr Reason kRootTrue{"True", "Ready", "Every condition that it summarizes is True."};

constexpr std::array kRoot{kRootTrue, kUnhealthy, kWaiting, kNotYet};

// NodeClaim.
constexpr std::array kLaunched{
    Reason{"True", "Launched", "The cloud has launched the instance."},
    kNotYet,
    Reason{"Unknown", "LaunchFailed", "The cloud refused the launch; the message says why. It is retried."},
    Reason{"Unknown", "Unauthorized AMIAuthorizationFailure SpotSLRCreationFailed",
           "The controller may not do what the launch needs."},
    Reason{"Unknown",
           "SecurityGroupSubnetVPCMismatch InstanceProfileNameInvalid LaunchTemplateNotFound UserDataSizeLimitExceeded "
           "InvalidAMIID AMINotFound",
           "The node class names something that EC2 does not accept."},
    Reason{"Unknown",
           "FleetQuotaExceeded SpotQuotaExceeded VCPULimitExceeded InsufficientFreeAddressesInSubnet "
           "AccountPendingVerification FreeTierIneligible",
           "The account has no room for the instance."},
    Reason{"Unknown", "RequestLimitExceeded InternalError", "EC2 is busy or has a fault."},
    Reason{"Unknown", "NodeClassUnreadable", "The node class has a value that the controller does not understand."},
    Reason{"Unknown", "LimitsUnchecked", "It is not known whether the limits of the NodePool allow the launch."},
    Reason{"Unknown", "LaunchesFrozen", "The ConfigMap tenon-freeze stops launches."},
    Reason{"Unknown", "LaunchCapReached", "--max-launches-per-minute or --max-hourly-price holds the launch back."},
};
constexpr std::array kRegistered{
    Reason{"True", "Registered", "The Node has joined and has the labels and taints of the NodeClaim."},
    kNotYet,
    Reason{"Unknown", "NodeNotFound", "The Node has not joined. After 15 min the NodeClaim is deleted."},
    Reason{"Unknown", "RegistrationHookPending", "The provider has not finished; the message names its hooks."},
    Reason{"False", "MultipleNodesFound", "Two Nodes have the provider id of the instance."},
};
constexpr std::array kInitialized{
    Reason{"True", "Initialized", "The Node is ready for pods."},
    kNotYet,
    Reason{"Unknown", "NodeNotFound", "The Node is gone, or there are two."},
    Reason{"Unknown", "NodeNotReady", "The kubelet does not report Ready."},
    Reason{"Unknown", "StartupTaintsExist", "A startup taint is still there; the message names it."},
    Reason{"Unknown", "KnownEphemeralTaintsExist", "A taint of Kubernetes or of a cloud is still there."},
    Reason{"Unknown", "ResourceNotRegistered", "The Node lacks a resource that was requested, such as a GPU."},
};
constexpr std::array kConsolidatable{
    Reason{"True", "Consolidatable", "No pod has come or gone for consolidateAfter. Absent: not yet, or never."}};
constexpr std::array kDrifted{
    Reason{"True", "NodePoolDrifted RequirementsDrifted", "The NodePool has changed."},
    Reason{"True", "InstanceTypeNotFound", "The instance type or offering does not exist any more."},
    Reason{"True", "NodeClassDrift", "The node class has changed."},
    Reason{"True", "AMIDrift SubnetDrift SecurityGroupDrift CapacityReservationDrift PlacementGroupDrift",
           "The node class now selects something else than the instance has."},
};
constexpr std::array kDrained{Reason{"True", "Drained", "No pod is left that has to be evicted."},
                              Reason{"Unknown", "Draining", "Pods are being evicted."}};
constexpr std::array kVolumesDetached{
    Reason{"True", "VolumesDetached", "No volume is attached."},
    Reason{"Unknown", "AwaitingVolumeDetachment", "Volumes of the evicted pods are still attached."},
    Reason{"False", "TerminationGracePeriodElapsed", "The time was over; the instance ends with volumes attached."},
};
constexpr std::array kInstanceTerminating{Reason{"True", "InstanceTerminating", "The cloud terminates the instance."}};
constexpr std::array kConsistent{
    Reason{"True", "ConsistentStateFound", "The Node has what its instance type promises."},
    Reason{"False", "ConsistencyCheckFailed", "The Node has less of a resource. Events say of which."},
};
constexpr std::array kDisruptionReason{
    Reason{"True", "Empty Underutilized Drifted", "A disruption command removes the node, for this reason."}};

// NodePool.
constexpr std::array kPoolValid{
    Reason{"True", "ValidationSucceeded", "The NodePool can be used."},
    kNotYet,
    Reason{"False", "NodePoolValidationFailed", "A field cannot be used; the message says which and why."},
};
constexpr std::array kClassReady{
    Reason{"True", "NodeClassReady", "The node class is ready."},
    kNotYet,
    Reason{"False", "NodeClassNotFound", "There is no node class of this name."},
    Reason{"False", "NodeClassTerminating", "The node class is being deleted."},
    Reason{"Unknown", "NodeClassReadinessUnknown", "The node class has not been looked at yet."},
    Reason{"False", "UnhealthyDependents", "The node class is not ready; its own conditions say why."},
    Reason{"False", "ReconcilingDependents AwaitingReconciliation", "The node class is being looked at."},
};
constexpr std::array kPoolHealthy{
    Reason{"True", "NodeRegistrationHealthy", "The latest launches became nodes."},
    kNotYet,
    Reason{"False", "RegistrationFailed", "The latest nodes did not register in time."},
    Reason{"False", "*", "The latest launches failed; reason and message are those of the NodeClaim."},
};

// EC2NodeClass.
constexpr std::array kSubnets{
    Reason{"True", "SubnetsReady", "Subnets are selected; status.subnets lists them."},
    kNotYet,
    Reason{"False", "SubnetsNotFound", "No subnet matches subnetSelectorTerms."},
    Reason{"False", "SubnetsResolutionFailed", "EC2 refused the question; the message says why."},
};
constexpr std::array kGroups{
    Reason{"True", "SecurityGroupsReady", "Security groups are selected."},
    kNotYet,
    Reason{"False", "SecurityGroupsNotFound", "No security group matches securityGroupSelectorTerms."},
    Reason{"False", "SecurityGroupsResolutionFailed", "EC2 refused the question; the message says why."},
};
constexpr std::array kAmis{
    Reason{"True", "AMIsReady", "Images are selected."},
    kNotYet,
    Reason{"False", "AMINotFound", "No image matches amiSelectorTerms."},
    Reason{"False", "UnsupportedAlias", "The alias names a family or version that does not exist."},
    Reason{"False", "AMIsResolutionFailed", "EC2 or SSM refused the question; the message says why."},
};
constexpr std::array kProfile{
    Reason{"True", "InstanceProfileReady", "The instance profile exists."},
    kNotYet,
    Reason{"False", "InstanceProfileResolutionFailed", "The profile could not be made or found; the message says why."},
    Reason{"False", "InstanceProfileMissing", "Neither the class nor a setting of v0.27 names a profile or a role."},
};
constexpr std::array kReservations{
    Reason{"True", "CapacityReservationsReady", "Reservations are selected, or none is asked for."},
    kNotYet,
    Reason{"False", "CapacityReservationsResolutionFailed", "EC2 refused the question; the message says why."},
};
constexpr std::array kPlacement{
    Reason{"True", "PlacementGroupReady", "The placement group exists, or none is asked for."},
    kNotYet,
    Reason{"False", "PlacementGroupNotFound", "There is no such placement group."},
    Reason{"False", "PlacementGroupResolutionFailed", "EC2 refused the question; the message says why."},
};
constexpr std::array kClassValid{
    Reason{"True", "ValidationSucceeded", "Dry runs of the calls that a launch needs were accepted."},
    kNotYet,
    Reason{"False Unknown", "DependenciesNotReady", "Images, profile, groups or subnets are not ready."},
    Reason{"False", "TagValidationFailed", "tags has a key that the controller itself sets."},
    Reason{"False", "InvalidKubeletConfiguration", "spec.kubelet has a value that cannot be used."},
    Reason{"False", "InvalidUserData UserDataSizeLimitExceeded", "The user data cannot be used."},
    Reason{"False", "LaunchTemplateNotFound", "The launch template of an AWSNodeTemplate does not exist."},
    Reason{"False", "ClusterCIDRResolutionFailed", "AL2023 needs the service CIDR of the cluster, which is unknown."},
    Reason{"False", "CreateFleetAuthCheckFailed CreateLaunchTemplateAuthCheckFailed RunInstancesAuthCheckFailed",
           "The controller may not make this call."},
    Reason{"Unknown", "ValidationFailed", "A dry run failed for another reason; the message says which."},
};

// These conditions exist behind feature gates.
constexpr std::array kOverlayValid{
    Reason{"True", "ValidationSucceeded", "The overlay applies."},
    kNotYet,
    Reason{"False", "Conflict", "Another overlay of the same weight changes the same types."},
    Reason{"False", "RuntimeValidation", "A field cannot be used; the message says which and why."},
};
constexpr std::array kBufferReady{
    Reason{"True", "*", "The pods of the buffer are known."},
    Reason{"False", "*", "The pods of the buffer cannot be made; the message says why."},
};
constexpr std::array kBufferProvisioning{
    Reason{"True", "FitsExistingCapacity", "Every pod of the buffer has room."},
    Reason{"False", "NotReadyForProvisioning", "ReadyForProvisioning is not True."},
    Reason{"False", "BufferEmpty", "The buffer has no pods."},
    Reason{"False", "RequiresNewCapacity", "Nodes are being launched for it; the message has the figures."},
};

constexpr std::array kConditionRows{
    ConditionRow{"NodeClaim", "Ready", "The node can be used: Launched, Registered and Initialized are True.", kRoot},
    ConditionRow{"NodeClaim", "Launched", "The instance exists.", kLaunched},
    ConditionRow{"NodeClaim", "Registered", "The Node has joined.", kRegistered},
    ConditionRow{"NodeClaim", "Initialized", "The Node is ready for pods.", kInitialized},
    ConditionRow{"NodeClaim", "Consolidatable", "Consolidation may remove or replace the node.", kConsolidatable},
    ConditionRow{"NodeClaim", "Drifted", "The node is to be replaced. Absent: it is as it should be.", kDrifted},
    ConditionRow{"NodeClaim", "DisruptionReason", "A disruption command removes the node.", kDisruptionReason},
    ConditionRow{"NodeClaim", "ConsistentStateFound", "The Node has what its instance type promises.", kConsistent},
    ConditionRow{"NodeClaim", "Drained", "The node that is being deleted has no pods left.", kDrained},
    ConditionRow{"NodeClaim", "VolumesDetached", "It has no volumes left.", kVolumesDetached},
    ConditionRow{"NodeClaim", "InstanceTerminating", "Its instance is ending.", kInstanceTerminating},
    ConditionRow{"NodePool", "Ready", "Nodes can be launched: ValidationSucceeded and NodeClassReady are True.", kRoot},
    ConditionRow{"NodePool", "ValidationSucceeded", "Its fields can be used.", kPoolValid},
    ConditionRow{"NodePool", "NodeClassReady", "Its node class is ready.", kClassReady},
    ConditionRow{"NodePool", "NodeRegistrationHealthy", "Launches become nodes. Ready does not depend on it.",
                 kPoolHealthy},
    ConditionRow{"EC2NodeClass", "Ready", "Nodes can be launched with it: all others are True.", kRoot},
    ConditionRow{"EC2NodeClass", "SubnetsReady", "Subnets are selected.", kSubnets},
    ConditionRow{"EC2NodeClass", "SecurityGroupsReady", "Security groups are selected.", kGroups},
    ConditionRow{"EC2NodeClass", "AMIsReady", "Images are selected.", kAmis},
    ConditionRow{"EC2NodeClass", "InstanceProfileReady", "The instance profile exists.", kProfile},
    ConditionRow{"EC2NodeClass", "CapacityReservationsReady", "Reservations are selected.", kReservations},
    ConditionRow{"EC2NodeClass", "PlacementGroupReady", "The placement group exists.", kPlacement},
    ConditionRow{"EC2NodeClass", "ValidationSucceeded", "A launch would be accepted.", kClassValid},
    ConditionRow{"NodeOverlay", "Ready", "The overlay applies.", kRoot},
    ConditionRow{"NodeOverlay", "ValidationSucceeded", "The overlay can be used.", kOverlayValid},
    ConditionRow{"CapacityBuffer", "ReadyForProvisioning", "Its pods are known.", kBufferReady},
    ConditionRow{"CapacityBuffer", "Provisioning", "Its pods have room.", kBufferProvisioning},
};

bool has_one(std::string_view list, std::string_view word) {
  const auto words = split(list, ' ');
  return list == "*" || std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

std::span<const ConditionRow> condition_table() { return kConditionRows; }

bool in_condition_table(std::string_view kind, std::string_view type, std::string_view status,
                        std::string_view reason) {
  if (kind == "Provisioner") kind = "NodePool";
  if (kind == "AWSNodeTemplate") kind = "EC2NodeClass";
  return std::any_of(kConditionRows.begin(), kConditionRows.end(), [&](const ConditionRow& row) {
    if (row.kind != kind || row.type != type) return false;
    return std::any_of(row.reasons.begin(), row.reasons.end(),
                       [&](const Reason& one) { return has_one(one.status, status) && has_one(one.reason, reason); });
  });
}

}  // namespace tenon::plan
