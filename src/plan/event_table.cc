// SPDX-License-Identifier: Apache-2.0
#include "plan/event_table.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/text.h"

namespace tenon::plan {
namespace {

constexpr std::array kEventRows{
    // Pods that wait.
    EventRow{"Nominated", "Normal", "Pod", "Pod should schedule on: <nodeclaim/NAME, node/NAME>",
             "A decision places the pod on a NodeClaim or Node. kube-scheduler binds it later."},
    EventRow{"Nominated", "Normal", "Pod", "Pod should schedule on node: <nodeclaim/NAME or NAME>",
             "The same, for a node of a Provisioner."},
    EventRow{"FailedScheduling", "Warning", "Pod", "Failed to schedule pod, <why>",
             "No node that exists or could be launched takes the pod. At most one in 5 min."},
    EventRow{"NoCompatibleInstanceTypes", "Warning", "NodePool Provisioner",
             "NodePool requirements filtered out all compatible available instance types< due to minValues "
             "incompatibility>",
             "Pods wait, and no instance type meets the requirements. At most one in 1 min."},
    // Launches that are held back.
    EventRow{"LaunchesFrozen", "Warning", "Pod", "Failed to schedule pod, <the freeze>",
             "The ConfigMap tenon-freeze stops launches."},
    EventRow{"LaunchesFrozen", "Warning", "NodeClaim NodePool Provisioner", "<the freeze>", "The same."},
    EventRow{"LaunchCapReached", "Warning", "Pod", "Failed to schedule pod, <the cap, the figure, the limit>",
             "`--max-launches-per-minute` or `--max-hourly-price` holds the launch back."},
    EventRow{"LaunchCapReached", "Warning", "NodeClaim NodePool Provisioner", "<the cap, the figure, the limit>",
             "The same."},
    EventRow{"NodeLimitReached", "Warning", "NodePool",
             "node limit of the cluster has been exhausted (max-nodes=<number>)",
             "A NodePool with `replicas` would need more nodes than `--max-nodes` allows."},
    EventRow{"Frozen", "Normal", "ConfigMap", "<what> <by which ConfigMap>", "A freeze begins or changes."},
    EventRow{"FreezeInvalid", "Warning", "ConfigMap", "<what> <by which ConfigMap, and its fault>",
             "tenon-freeze cannot be understood, so that it stops everything."},
    EventRow{"Thawed", "Normal", "ConfigMap", "voluntary disruption and launches are not frozen any more",
             "A freeze ends."},
    // Launches that fail.
    EventRow{"InsufficientCapacityError", "Warning", "NodeClaim", "NodeClaim <name> event: <why>",
             "The cloud has no capacity for any allowed instance type. The NodeClaim is deleted."},
    EventRow{"FailedResolvingNodeClass", "Warning", "NodeClaim", "Failed resolving NodeClass",
             "The node class of the NodeClaim does not exist or is being deleted."},
    EventRow{"LimitExceeded", "Warning", "NodeClaim", "NodeClaim <name> event: <the limit>",
             "A NodeClaim that was not created by Tenon would exceed a limit of its NodePool, or `--max-nodes`."},
    EventRow{"SpotServiceLinkedRoleCreationFailure", "Warning", "NodeClaim",
             "Attempted to launch a spot instance but failed due to <why>",
             "The account has no service-linked role for spot, and the controller may not create it."},
    EventRow{"UnregisteredTaintMissing", "Warning", "NodeClaim",
             "Missing karpenter.sh/unregistered taint which prevents registration related race conditions on "
             "Karpenter-managed nodes",
             "A Node joins without the taint: its user data lacks it."},
    EventRow{"FailedConsistencyCheck", "Warning", "NodeClaim", "<resource> <figures>",
             "The Node has less of a resource than its instance type should have."},
    // Disruption.
    EventRow{"DisruptionBlocked", "Normal", "Node NodeClaim", "<why>",
             "Consolidation or drift would remove the node, but may not. At most one in 2 min."},
    EventRow{"DisruptionBlocked", "Normal", "NodePool", "No allowed disruptions<, and for which reason>",
             "The budgets of the NodePool allow no disruption. At most one in 1 min."},
    EventRow{"Unconsolidatable", "Normal", "Node NodeClaim", "<why>",
             "Consolidation leaves the node as it is. At most one in 15 min."},
    EventRow{"DisruptionLaunching", "Normal", "NodeClaim", "Launching NodeClaim: <reason>",
             "A replacement is being launched."},
    EventRow{"DisruptionWaitingReadiness", "Normal", "NodeClaim", "Waiting on readiness to continue disruption",
             "A replacement is not initialized yet."},
    EventRow{"DisruptionTerminating", "Normal", "Node NodeClaim", "Disrupting <kind>: <reason>",
             "Consolidation or drift removes the node."},
    EventRow{"ConsolidationApproved", "Normal", "Node NodeClaim NodePool", "<score and savings>",
             "A NodePool with the policy Balanced: the savings are worth the disruption."},
    EventRow{"ConsolidationRejected", "Normal", "Node NodeClaim NodePool", "<command, reason, score or savings>",
             "A consolidation that was found is not performed."},
    EventRow{"ConsolidationCandidate", "Normal", "Node NodeClaim",
             "Consolidation candidate: <command> (savings: <USD>)", "A consolidation was found and is validated next."},
    EventRow{"DeprovisioningBlocked", "Normal", "Node NodeClaim", "Cannot deprovision node due to <why>",
             "A node of a Provisioner, as DisruptionBlocked."},
    EventRow{"DeprovisioningLaunching", "Normal", "NodeClaim", "Launching node for <reason>",
             "A node of a Provisioner, as DisruptionLaunching."},
    EventRow{"DeprovisioningWaitingReadiness", "Normal", "NodeClaim", "Waiting on readiness to continue deprovisioning",
             "A node of a Provisioner, as DisruptionWaitingReadiness."},
    EventRow{"DeprovisioningTerminating", "Normal", "Node NodeClaim", "Deprovisioning node via <command>",
             "A node of a Provisioner, as DisruptionTerminating."},
    EventRow{"NodeRepairBlocked", "Warning", "Node", "more <than> 20% nodes are unhealthy in the <nodepool or cluster>",
             "Feature gate NodeRepair: too many nodes are unhealthy at once. At most one in 15 min."},
    EventRow{"InvalidDoNotDisruptAnnotation", "Warning", "Pod",
             "Invalid karpenter.sh/do-not-disrupt annotation: <value> is neither true nor a time such as 4h, ignoring "
             "annotation",
             "The pod can be evicted, because its annotation cannot be read."},
    EventRow{"DoNotDisruptUntil", "Normal", "Pod", "The karpenter.sh/do-not-disrupt grace period will elapse at <time>",
             "The annotation holds for a time."},
    EventRow{"DoNotDisruptGracePeriodElapsed", "Normal", "Pod",
             "The karpenter.sh/do-not-disrupt grace period has elapsed, pod is now disruptable", "That time is over."},
    // Drains.
    EventRow{"Evicted", "Normal", "Pod", "Evicted pod: <reason>", "The API server accepted the eviction."},
    EventRow{"Disrupted", "Normal", "Pod",
             "Deleting the pod to accommodate the terminationTime <time> of the node. The pod was granted <seconds> "
             "seconds of grace-period of its <seconds> terminationGracePeriodSeconds. This bypasses the PDB of the pod "
             "and the do-not-disrupt annotation.",
             "The termination grace period of the node ends before that of the pod."},
    EventRow{"FailedDraining", "Warning", "Node", "Failed to drain node, <why>",
             "Pods remain: <number> wait, or a PodDisruptionBudget or the API server rejects an eviction."},
    EventRow{"AwaitingVolumeDetachment", "Normal", "Node", "Awaiting deletion of bound volumeattachments (<names>)",
             "The pods are gone, their volumes are still attached."},
    EventRow{"TerminationGracePeriodExpiring", "Warning", "Node NodeClaim", "All pods will be deleted by <time>",
             "A node with a termination grace period is being deleted."},
    // Notices of EC2.
    EventRow{"SpotInterrupted", "Warning", "NodeClaim Node", "Spot interruption warning was triggered",
             "EC2 takes the spot instance back in two minutes."},
    EventRow{"CapacityReservationInstanceInterrupted", "Warning", "NodeClaim Node",
             "Capacity Reservation interruption warning was triggered", "EC2 takes the reserved instance back."},
    EventRow{"SpotRebalanceRecommendation", "Normal", "NodeClaim Node", "Spot rebalance recommendation was triggered",
             "EC2 expects an interruption. Nothing is done."},
    EventRow{"InstanceTerminating", "Warning", "NodeClaim Node", "Instance is terminating",
             "Somebody terminates the instance."},
    EventRow{"InstanceStopping", "Warning", "NodeClaim Node", "Instance is stopping", "Somebody stops the instance."},
    EventRow{"InstanceUnhealthy", "Warning", "NodeClaim Node", "An unhealthy warning was triggered for the instance",
             "A scheduled event of EC2 or AWS Health, or a failed status check."},
    EventRow{"TerminatingOnInterruption", "Warning", "NodeClaim Node",
             "Interruption triggered termination for the <kind>", "The notice leads to the deletion of the NodeClaim."},
    EventRow{"InstancesLost", "Warning", "NodePool Provisioner",
             "<number> instances or more ended within <time>, unannounced, and not by us",
             "Somebody else may be terminating instances."},
    EventRow{"GarbageCollectionLimited", "Warning", "NodePool Provisioner",
             "<number> <what> were found at once; at most <number> are ended every <time>",
             "So many orphans at once may be a mistake, so that they end slowly."},
    EventRow{"ZonalShiftActive", "Warning", "NodePool Provisioner",
             "Zonal shift detected: offerings in zone <zone> are unavailable for this NodePool",
             "`--enable-zonal-shift`: ARC shifts traffic away from a zone."},
    EventRow{"ZonalShiftCleared", "Normal", "NodePool Provisioner",
             "Zonal shift ended: offerings in zone <zone> are available again for this NodePool", "The shift ends."},
    // Settings.
    EventRow{"InvalidAnnotation", "Warning", "NodePool Provisioner", "<annotation and its fault>",
             "An annotation tenon.dev/… of the NodePool cannot be read."},
    EventRow{"Unreadable", "Warning", "*", "Cannot be read, so nothing that it touches is disrupted: <field and cause>",
             "An object has a value that the controller does not understand."},
    EventRow{"WaitingOnNodeClaimTermination", "Normal", "EC2NodeClass AWSNodeTemplate",
             "Waiting on NodeClaim termination for <names>", "The node class is being deleted and is still in use."},
    EventRow{"<reason of the condition>", "Warning", "EC2NodeClass AWSNodeTemplate Provisioner",
             "<message of the condition>",
             "A condition of the node class becomes False: [conditions](conditions.md) has the reasons."},
    EventRow{"PlanRejected", "Warning", "*", "Internal error: the plan was rejected, invariant <name>: <what>",
             "A fault of Tenon: a decision broke one of its own rules and was not performed. Please report it."},
    // These events are emitted for every kind that has conditions.
    EventRow{"<condition>", "Normal", "*",
             "Status condition transitioned, Type: <condition>, Status: <before> -> <now>, Reason: <reason><, Message: "
             "…>",
             "The status of a condition changes."},
    EventRow{"Finalized", "Normal", "*", "Finalized <finalizer>", "The object is gone, with the finalizer of Tenon."},
    // --observe.
    EventRow{"WouldLaunch", "Normal", "Lease", "<decisions, each beginning with Would launch>",
             "`--observe`: what would be launched."},
    EventRow{"WouldDisrupt", "Normal", "Lease", "<decisions, each beginning with Would remove>",
             "`--observe`: what would be removed."},
};

bool lists(std::string_view list, std::string_view word) {
  if (list == "*") return true;
  const auto words = split(list, ' ');
  return std::find(words.begin(), words.end(), word) != words.end();
}

// `shape`: with parts in <…> that stand for any text.
bool has_shape(std::string_view text, std::string_view shape) {
  bool open = false;  // any text may come before the next literal
  while (!shape.empty()) {
    if (shape.front() == '<') {
      shape.remove_prefix(shape.find('>') + 1);
      open = true;
      continue;
    }
    const std::string_view literal = shape.substr(0, shape.find('<'));
    shape.remove_prefix(literal.size());
    const size_t at =
        shape.empty() && open && text.ends_with(literal) ? text.size() - literal.size() : text.find(literal);
    if (at == std::string_view::npos || (!open && at != 0)) return false;
    text.remove_prefix(at + literal.size());
    open = false;
  }
  return open || text.empty();
}

}  // namespace

std::span<const EventRow> event_table() { return kEventRows; }

bool in_event_table(std::string_view reason, std::string_view type, std::string_view kind, std::string_view message) {
  return std::any_of(kEventRows.begin(), kEventRows.end(), [&](const EventRow& row) {
    const bool any_reason = row.reason.starts_with('<');
    return (any_reason || row.reason == reason) && lists(row.type, type) && lists(row.objects, kind) &&
           has_shape(message, row.message);
  });
}

}  // namespace tenon::plan
